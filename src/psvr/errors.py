"""The one exception that means: the user can fix this."""


class BadInput(ValueError):
    """Input that cannot be used.  Its text is one line that names the field and says what is allowed."""

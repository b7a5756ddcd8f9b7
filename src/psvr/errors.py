"""The one exception that means: the user can fix this."""

import difflib
from collections.abc import Iterable


class BadInput(ValueError):
    """Input that cannot be used.  Its text is one line that names the field and says what is allowed."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for an error message, in brackets, where one of the known words is much like this one."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]}?)" if near else ""

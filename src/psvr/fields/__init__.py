"""Tables of keys, each declared once by annotations of a dataclass: read, checked, overridden and written."""

"""What commands print: text that the terminal's encoding can hold, and that steers no terminal."""

import sys


def show(text: str) -> None:
    """Print, replacing characters of names that the terminal's encoding lacks."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def plain(text: str) -> str:
    """The text with everything escaped that would break a line or steer a terminal; tabs stay."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else escaped(c) for c in text)


def escaped(c: str) -> str:
    """A character as an escape; bytes that are not text come as single surrogates."""
    if "\udc80" <= c <= "\udcff":
        return f"\\x{ord(c) - 0xDC00:02x}"
    return c.encode("unicode_escape").decode()

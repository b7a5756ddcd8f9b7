"""What went wrong in a file of the user, in one line: where, and what."""

import traceback

from psvr.errors import BadInput

LONGEST = 160           # characters of what an error says


def blame(error: BaseException, file: str) -> str:
    """`, line 12: ZeroDivisionError: division by zero`; the last line of the file that was at work."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f", line {error.lineno}: {in_one_line(error.msg)}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    what = str(error) if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
    return f"{f', line {lines[-1]}' if lines else ''}: {in_one_line(what)}"


def in_one_line(text: str) -> str:
    plain = " ".join(text.split()).removesuffix(":")
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"

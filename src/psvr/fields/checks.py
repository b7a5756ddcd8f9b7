"""Checks of single values, and the wording of what is allowed."""

import numbers
import operator
from typing import Any

from psvr.errors import BadInput, shown


def whole_from(minimum: int, maximum: int, what: str = "a whole number") -> str:
    """What `whole` allows, in words."""
    return f"{what} from {minimum} to {maximum}" if maximum > minimum else f"{what}: only {minimum}"


def whole(value: Any, key: str, minimum: int, maximum: int, what: str = "a whole number") -> int:
    """The value as an int, if it is a whole number from minimum to maximum."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not minimum <= number <= maximum:
        raise BadInput(f"{key}: must be {whole_from(minimum, maximum, what)}, not {shown(value)}")
    return number


def real_from(minimum: float, maximum: float, above: bool = False, below: bool = False) -> str:
    """What `real` allows, in words."""
    if above or below:
        return (
            f"a number {'above' if above else 'from'} {minimum:.10g}, {'below' if below else 'at most'} {maximum:.10g}"
        )
    return f"a number from {minimum:.10g} to {maximum:.10g}"


def is_real(value: Any, minimum: float, maximum: float, above: bool = False, below: bool = False) -> bool:
    """Whether the value is a number from minimum to maximum; `above` and `below` exclude the bounds."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    number: Any = value
    over = minimum < number if above else minimum <= number
    return bool(over and (number < maximum if below else number <= maximum))


def real(value: Any, key: str, minimum: float, maximum: float, above: bool = False, below: bool = False) -> float:
    """The value as a float, if it is one that `is_real` accepts."""
    if not is_real(value, minimum, maximum, above, below):
        raise BadInput(f"{key}: must be {real_from(minimum, maximum, above, below)}, not {shown(value)}")
    return float(value)

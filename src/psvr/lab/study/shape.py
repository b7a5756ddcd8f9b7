"""The shape of a study.toml: which keys it has, and that claims, numbers and grids can be what they should be."""

from collections.abc import Iterable
from typing import Any

from psvr.errors import BadInput, did_you_mean, shown
from psvr.lab.measure.extremes import EXTREMES
from psvr.lab.measure.fits import FITS

from .texts import PLACE

TOP_KEYS = ("figure", "needs", "studies", "grid", "numbers", "claim")
CLAIM_KEYS = ("id", "text", "paper", "unit", "sql", "extreme", "fit", "holds", "differs", "why", "role", "variant_of")
OPTIONAL = {"unit": "", "extreme": "", "fit": "", "why": "", "role": "paper", "variant_of": ""}  # of these keys
ROLES = ("paper", "ours", "calibration")  # what the paper says, what we add, what our settings were chosen by
CHOICES = {"role": ROLES, "extreme": EXTREMES, "fit": FITS}


def check_shape(table: dict[str, Any], file: str) -> None:
    grids, claims, studies = table.get("grid", {}), table.get("claim", []), table.get("studies", [])
    if not isinstance(studies, list) or not all(isinstance(s, str) for s in studies):
        raise BadInput(f"{file}: studies: must be a list of names")
    if not isinstance(grids, dict) or not all(isinstance(g, dict) for g in grids.values()):
        raise BadInput(f"{file}: grid: must be tables [grid.NAME]")
    if not isinstance(claims, list) or not all(isinstance(c, dict) for c in claims):
        raise BadInput(f"{file}: claim: must be tables [[claim]]")
    for claim in claims:
        check_keys(claim, CLAIM_KEYS, f"{file}: claim")
        wrong = [key for key in CLAIM_KEYS if not isinstance(claim.get(key, OPTIONAL.get(key)), str)]
        if wrong:
            raise BadInput(f"{file}: claim: {wrong[0]} must be given, as a text")
        check_choices(claim, f"{file}: claim {claim['id']}")
    check_numbers(table.get("numbers", {}), file)
    check_variants(claims, file)
    if not grids and "needs" not in table and "studies" not in table:
        raise BadInput(f"{file}: must have a [grid.NAME], or say what it needs")


def check_choices(claim: dict[str, str], where: str) -> None:
    """Check what a claim says of itself in words that are known."""
    for key, allowed in CHOICES.items():
        if key in claim and claim[key] not in allowed:
            raise BadInput(f"{where}: {key} must be one of {', '.join(allowed)}")
    if "extreme" in claim and "fit" in claim:
        raise BadInput(f"{where}: extreme and fit cannot both be given")


def check_numbers(numbers: Any, file: str) -> None:
    """Check the table of queries for the numbers in texts."""
    if not isinstance(numbers, dict) or not all(isinstance(sql, str) for sql in numbers.values()):
        raise BadInput(f"{file}: numbers: must be a table of names and queries")
    for name in numbers:
        if not PLACE.fullmatch(f"{{{name}}}"):
            raise BadInput(f"{file}: numbers: {shown(name)}: must be a name of letters, digits and _")


def check_variants(claims: list[dict[str, str]], file: str) -> None:
    """Check that every claim has its own id, and that variants name a claim that is none itself."""
    ids = [claim["id"] for claim in claims]
    for name in ids:
        if ids.count(name) > 1:
            raise BadInput(f"{file}: claim {name}: two claims have this id")
    main = [claim["id"] for claim in claims if not claim.get("variant_of")]
    for claim in claims:
        of = claim.get("variant_of", "")
        if of and of not in main:
            where = f"{file}: claim {claim['id']}: variant_of"
            raise BadInput(f"{where}: {shown(of)} is no claim of this study{did_you_mean(of, main)}")


def check_keys(table: dict[str, Any], allowed: Iterable[str], where: str) -> None:
    for key in table:
        if key not in allowed:
            raise BadInput(
                f"{where}: {shown(key)}: unknown key{did_you_mean(key, allowed)}; allowed are {', '.join(allowed)}"
            )

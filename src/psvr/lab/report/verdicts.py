"""Verdicts as HTML: badges, counts of them, and statements of the paper with our values and reasons beside them."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .sections import Statement
from .wording import escaped, quantity, words

if TYPE_CHECKING:
    from .claims import Claim

SIGNS = {"holds": "✓", "differs": "≠", "undecided": "?", "no rows": "○", "missing": "…"}
MEANING = {
    "holds": "our results agree",
    "differs": "our results say otherwise",
    "undecided": "the intervals leave it open",
    "no rows": "not run yet",
    "missing": "to come later",
}
EXPLAINED = ("differs", "undecided")  # verdicts that a reason belongs to
UNSETTLED = (*EXPLAINED, "no rows")
ROLES = {"ours": "ours", "calibration": "calibration"}


def kind(verdict: str) -> str:
    """Return the class of a verdict in the style sheet."""
    return verdict.replace(" ", "-") if verdict in SIGNS else "undecided"


def sign(verdict: str) -> str:
    return f'<span aria-hidden="true">{SIGNS.get(verdict, "?")}</span>'


def badge(verdict: str) -> str:
    return f'<span class="badge {kind(verdict)}">{sign(verdict)} {escaped(verdict)}</span>'


def counts(claims: "Sequence[Claim]") -> dict[str, int]:
    """Return how many claims have each verdict, in the order of `SIGNS`."""
    found = Counter(claim.verdict for claim in claims)
    return {verdict: found[verdict] for verdict in SIGNS if found[verdict]}


def tally(claims: "Sequence[Claim]") -> str:
    """Return a mark for every claim, as one picture with a text of its own."""
    if not claims:
        return ""
    text = ", ".join(f"{number} {verdict}" for verdict, number in counts(claims).items())
    marks = "".join(f'<i class="{kind(claim.verdict)}">{SIGNS.get(claim.verdict, "?")}</i>' for claim in claims)
    return f'<span class="tally" role="img" aria-label="{escaped(text)}">{marks}</span>'


def reason(claim: "Claim") -> str:
    """Return why the verdict is as it is, as far as the claim says so."""
    return words(claim.why) if claim.why and claim.verdict in EXPLAINED else MEANING.get(claim.verdict, "")


def ours(claim: "Claim") -> str:
    return quantity(claim.value, claim.low, claim.high, claim.unit)


def numbers(claim: "Claim") -> str:
    """Return the paper's value and ours, side by side."""
    return (
        f"<dl><div><dt>paper</dt><dd>{escaped(claim.paper)}</dd></div>"
        f"<div><dt>here</dt><dd>{ours(claim)}</dd></div></dl>"
    )


def statement(found: Statement) -> str:
    """Return a statement with its verdict and the reason beside it, its variants below."""
    claim = found.claim
    return f"""<article class="statement {kind(claim.verdict)}" id="claim-{escaped(claim.id)}">
<div class="said"><p>{words(claim.text)}</p>{numbers(claim)}</div>
<div class="verdict">{badge(claim.verdict)}<p class="why">{reason(claim)}</p></div>
{variants(found)}</article>
"""


def variants(found: Statement) -> str:
    """Return the variants of a statement: open where one of them has another verdict, else folded."""
    if not found.variants:
        return ""
    number = "one variant" if len(found.variants) == 1 else f"{len(found.variants)} variants"
    unfolded = " open" if any(claim.verdict != found.claim.verdict for claim in found.variants) else ""
    head = f"<summary>{number} {tally(found.variants)}</summary>"
    return f'<details class="variants"{unfolded}>{head}<ul>{"".join(map(variant, found.variants))}</ul></details>'


def variant(claim: "Claim") -> str:
    role = f'<span class="role">{ROLES[claim.role]}</span> ' if claim.role in ROLES else ""
    why = f'<p class="why">{reason(claim)}</p>' if claim.verdict in EXPLAINED else ""
    return (
        f'<li class="variant {kind(claim.verdict)}" id="claim-{escaped(claim.id)}">{badge(claim.verdict)}'
        f"<div>{role}{words(claim.text)} {numbers(claim)}{why}</div></li>\n"
    )

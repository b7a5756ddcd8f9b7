"""The results of a run as lines of text, whether it was simulated or real."""

from typing import Any

LATE = "not recovered before the next fault, or the end"


def outcome_lines(s: dict[str, Any], title: str) -> list[str]:
    """Lines about publications and recovery, for a simulated network or a real one."""
    ratio = (
        "no publication was expected anywhere"
        if s["delivery_ratio"] is None
        else (
            f"{100 * s['delivery_ratio']:.2f} % ({s['delivered']:,} of {s['expected']:,}; {s['missed']:,} missed, "
            f"{s['duplicates']:,} delivered twice)"
        )
    )
    return [
        title,
        "",
        f"  stable           {seconds(s['stable_at'], 'at ', 'never')}",
        *(f"  fault {i + 1:<10} {seconds(r, 'recovered after ', LATE)}" for i, r in enumerate(s["recoveries"])),
        f"  published        {s['published']:,}",
        f"  delivered        {ratio}",
        *(f"  missed           {number:,}: {reason}" for reason, number in (s["missed_by"] or {}).items()),
        f"  messages         {s['messages']:,}"
        + (f", {s['messages'] / s['published']:.2f} per publication" if s["published"] else ""),
        *histogram(s["hops"]),
        f"  latency          {times(s['latency'])}",
        "  transmissions    " + ", ".join(f"{number:,} {name.upper()}" for name, number in s["transmissions"].items()),
    ]


def shortage_lines(s: dict[str, Any]) -> list[str]:
    """Lines about links and table rows that there were too few of."""
    lines = []
    if s["left_out"]:
        lines.append(
            f"  left out         {len(s['left_out'])} nodes for which no link was free: {id_list(s['left_out'])}"
        )
    if s["overflow"]:
        lines.append(f"  overflow         {s['overflow']:,} SUBs found a table full: raise protocol.channels")
    return lines


def seconds(value: float | None, before: str, otherwise: str) -> str:
    return otherwise if value is None else f"{before}{value:.1f} s"


def times(values: dict[str, float | None]) -> str:
    """Latencies in milliseconds."""
    if values["mean"] is None:
        return "none"
    return ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in values.items() if value is not None)


def histogram(hops: dict[str, int], limit: int = 12) -> list[str]:
    """The numbers of hops as bars, with the long tail in one line."""
    if not hops:
        return []
    numbers = {int(h): number for h, number in hops.items()}
    rest = sum(number for h, number in numbers.items() if h > limit)
    shown = [(str(h), numbers.get(h, 0)) for h in range(min(1, *numbers), min(max(numbers), limit) + 1)]
    shown += [("more", rest)] if rest else []
    widest = max(number for _, number in shown) or 1
    return [
        f"  {'hops' if i == 0 else '':<14} {h:>4} {'█' * round(40 * number / widest)} {number:,}"
        for i, (h, number) in enumerate(shown)
    ]


def id_list(ids: list[int], limit: int = 20) -> str:
    """The first of these ids, and … if there are more."""
    return ", ".join(map(str, ids[:limit])) + (", …" if len(ids) > limit else "")

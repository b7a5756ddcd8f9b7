"""Measures of every built-in study, made up by formulas, with the shape and the magnitude of real ones."""

import math
from typing import Any

import pandas as pd

CHOICES = ["ties", "td_ties", "root", "children", "publisher", "tree"]
MORE = ["topology", "publishers", "channels", "shared", "length", "width", "reading"]
PARAMETERS = ["n", "p", "s", "degree", "loss", "churn", "c_n", "duration", *MORE, *CHOICES]
COLUMNS = [
    "grid",
    *PARAMETERS,
    "system",
    "against",
    "measure",
    "bin",
    "unit",
    "value",
    "low",
    "high",
    "trials",
    "p05",
    "p25",
    "p50",
    "p75",
    "p95",
    "least",
    "most",
]


def row(measure: str, value: float, half: float = 0.0, spread: float = 0.0, **columns: Any) -> dict[str, Any]:
    around = dict(
        zip(
            ("p05", "p25", "p50", "p75", "p95", "least", "most"),
            (value + step * spread for step in (-1.6, -0.7, 0.05, 0.8, 1.7, -2.2, 2.4)),
        )
    )
    return {
        "measure": measure,
        "value": value,
        "low": value - half,
        "high": value + half,
        "trials": 20,
        **around,
        **columns,
    }


def frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """With only those parameters as columns that the study has, as in a real one."""
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.drop(columns=[c for c in PARAMETERS if table[c].isna().all()])


def gain() -> pd.DataFrame:
    rows = []
    factor = {"psvr/nontree": 1.3, "td": 0.9, "ts": 1.12, "vr2015/all": 2.4, "shen": 1.13, "steiner": 0.84}
    for n in (20, 50, 100, 200):
        for p in (0.05, 0.1, 0.2, 0.3, 0.5, 0.8):
            for s in sorted({1, 2, 5, 10, 20, 50, 100, n - 1}):
                if n * p < 2 or s >= n:
                    continue
                cell: dict[str, Any] = {"n": n, "p": p, "s": s, "grid": "main"}
                over = 60 * math.exp(-3 * p) * (n / 100) ** 0.5 / s ** (0.65 + 0.15 * p) - 0.4
                for system, more in (("psvr/all", 1.0), ("psvr/nontree", 1 + p)):
                    rows += [
                        row("gain", more * over, 0.3 + 2 / s, 3, system=system, against="td", **cell),
                        row("gain", more * over / 9 - 20 * p / s, 0.2 + 1 / s, 3, system=system, against="ts", **cell),
                    ]
                base = 1.2 * s + math.log(n) / math.log(n * p) * s**0.5
                rows += [
                    row("messages", base * more, 0.03 * base, system=system, **cell)
                    for system, more in {"psvr/all": 1, **factor}.items()
                    if system != "steiner"
                ]
                rows += [
                    row("messages", value, 0.0, system=system, **cell)
                    for system, value in (("ring", 2 * n - 2), ("flood", n))
                ]
                if n == 100 and s == 10:
                    rows += [
                        row(
                            "gain",
                            more * over + 1,
                            0.1,
                            3,
                            system=system,
                            against="td",
                            **{**cell, "grid": "limit", "p": p + 0.02},
                        )
                        for system, more in (("psvr/all", 1.0), ("psvr/nontree", 1 + p))
                    ]
                if n == 50 and p == 0.1 and s <= 10:
                    rows += [
                        row("messages", base * more, 0.03 * base, system=system, **{**cell, "grid": "optimum"})
                        for system, more in {"psvr/all": 1, **factor}.items()
                    ]
    return frame(rows)


def sensitivity() -> pd.DataFrame:
    ties, roots = ("first", "least", "random", "children", "neighbours"), ("centre", "least", "outermost", "hub")
    chosen: list[dict[str, Any]] = [
        *({"grid": "ties", "ties": one, "td_ties": two} for one in ties for two in {"first", "random", one}),
        *({"grid": "root", "root": root, "ties": one} for root in roots for one in ("first", "random")),
        *({"grid": "order", "children": order, "ties": "first"} for order in ("id", "random", "largest", "smallest")),
        *({"grid": "publisher", "publisher": who, "ties": "first"} for who in ("other", "subscriber")),
        *({"grid": "tree", "tree": tree, "td_ties": "first"} for tree in ("breadth", "random", "depth")),
        {"grid": "stack", "tree": "stack", "root": "least", "td_ties": "first", "c_n": 16},
        *({"grid": "together", "root": root, "ties": "children", "td_ties": "first"} for root in ("hub", "outermost")),
    ]
    rows = []
    for p in (0.1, 0.3):
        for i, choice in enumerate(chosen):
            far = {"random": 40, "depth": 80, "stack": 15}.get(choice.get("tree", ""), i % 9) + 10 * p
            rows += [
                row("gain", far + more, 0.5, 4, n=100, p=p, s=10, system=system, against="td", **choice)
                for system, more in (("psvr/all", 0.0), ("psvr/nontree", 4.0))
            ]
        rows += [
            row(
                "gain",
                60 / s + more,
                0.5,
                grid="subscribers",
                n=100,
                p=p,
                s=s,
                system="psvr/all",
                against="td",
                ties=one,
                td_ties=two,
            )
            for s in (5, 10, 20, 50)
            for more, one, two in ((0, "first", "first"), (1, "random", "random"), (9, "random", "first"))
        ]
    return frame(rows)


def tables() -> pd.DataFrame:
    rows = []
    for n in (20, 50, 100, 200):
        for s in (1, 10):
            for system, size, sent in (("psvr/all", 31, 1.1), ("shen", 16, 1.2), ("ts", 16, 1.2), ("td", n, 1.0)):
                cell: dict[str, Any] = {"grid": "settled", "n": n, "degree": 8.0, "s": s, "system": system}
                rows += [
                    row("table", size, 0.5, **cell),
                    row("table_most", 4 * size, 2, **cell),
                    row("messages", sent * n**0.5 * s**0.4, 0.2, **cell),
                    row("hello_more", 10.0 * (n - 1) if system == "td" else 0.0, **cell),
                ]
        for system, more in (("psvr/all", 12.0), ("shen", 5.0)):
            cell = {"grid": "control", "n": n, "degree": 8.0, "s": 10, "c_n": 8, "system": system}
            rows += [row("control_bytes", 70 + more, 2, **cell), row("hello_bytes", 70.0, 1, **cell)]
    return frame(rows)


def predecessor() -> pd.DataFrame:
    rows = []
    for system, tree, removed in (("psvr/all", 1, 0.0), ("vr2015-ring/all", 0, 1.8)):
        cell: dict[str, Any] = {"topology": "geometric", "system": system}
        for n in (20, 50, 100):
            joins = {"grid": "joins", "channels": 1, "shared": 1.0, "n": n, **cell}
            rows += [
                made
                for s in (0, 1, 10)
                for made in (
                    row("subs", n / (2 + s) if tree else 2 * n - 2, 0.1, s=s, **joins),
                    row("learnt_ms", 8 * n**0.5 if tree else 7.5 * n, 4, s=s, **joins),
                    row("heard", 1.0 if tree else 2 - 2 / n, 0.0, s=s, **joins),
                )
            ]
            rows += [
                row(name, times * n / 3, 2, **{**joins, "grid": "leaves", "s": s})
                for s in (2, 5, 10)
                for name, times in (("before", 1.0), ("peak", 1 + removed), ("rest", 0.8))
            ]
        rows += [
            row("subs", 98 * (1 if tree else c) * share, 5, grid="sets", n=50, s=10, channels=c, shared=share, **cell)
            for c in (2, 4, 8)
            for share in (0.5, 1.0)
        ]
    return frame(rows)


def hops() -> pd.DataFrame:
    rows = []
    for grid, shift in (("full", 0.2), ("settled", 0.0), ("wireless", 0.3)):
        for degree in (6.0, 10.0, 16.0):
            for system, mean in (
                ("psvr/all", 24 / degree + 1.6 + shift),
                ("shen", 34 / degree + 2 + shift),
                ("psvr/nontree", 25 / degree + 1.8 + shift),
            ):
                cell: dict[str, Any] = {"grid": grid, "n": 50, "degree": degree, "system": system}
                weights = [math.exp(-((h - mean) ** 2) / (1.1 * mean)) if h else 0.0 for h in range(15)]
                rows.append(row("hops", mean, 0.15, 0.5, **cell))
                rows += [row("routes", 100 * w / sum(weights), 1.2, 2, bin=h, **cell) for h, w in enumerate(weights)]
    return frame(rows)


def ranges() -> pd.DataFrame:
    rows = []
    for degree in (6.0, 8.0, 12.0, 16.0, 24.0):
        for s in (1, 2, 5, 10, 25, 49):
            saved = 1.9 * degree * (1 - s / 49) / s**0.8
            cell: dict[str, Any] = {
                "grid": "main" if s == 1 else "more",
                "n": 50,
                "degree": degree,
                "s": s,
                "system": "psvr/all",
                "against": "shen",
            }
            rows += [row("subscription_gain", -saved, 1.2, saved / 4 + 0.001, **cell), row("gain", -saved, 1.0, **cell)]
        capped: dict[str, Any] = {
            "grid": "capped",
            "n": 40,
            "degree": degree,
            "c_n": 9,
            "system": "psvr/all",
            "against": "shen",
        }
        rows += [
            row("subscription_gain", -14 - degree / 4, 1.2, 4.0, **{**capped, "grid": grid, "c_n": c_n})
            for grid, c_n in (("capped", 9), ("wireless", 8))
        ]
        for system, factor in {"psvr/all": 1.0, "shen": 1.2, "jaeger": 1.2, "diffusion": 4.0}.items():
            for publishers in (1, 5):
                cell = {"grid": "related", "n": 50, "degree": degree, "publishers": publishers, "system": system}
                rows.append(row("messages", factor * (14 + publishers - degree / 6), 0.8, 3.0, **cell))
                rows.append(row("sub_bytes", factor * (6 + degree / 3), 0.5, 1.0, **cell))
    return frame(rows)


def throughput() -> pd.DataFrame:
    rows = []
    for loss in (0.0, 0.05, 0.1, 0.2):
        for degree in (6.0, 8.0, 12.0, 16.0):
            cell: dict[str, Any] = {"grid": "main", "n": 50, "degree": degree, "loss": loss}
            kept = {"psvr/all": 100 - 60 * loss**2 - 8 * loss / degree, "shen": 100 - 62 * loss**2 - 9 * loss / degree}
            rows += [
                row("delivery_ratio", value, 12 * loss**2, system=system, **cell) for system, value in kept.items()
            ]
            rows.append(
                row(
                    "delivery_difference",
                    kept["psvr/all"] - kept["shen"],
                    5 * loss**2,
                    system="psvr/all",
                    against="shen",
                    **cell,
                )
            )
    for degree in (10.0, 20.0):
        cell = {"grid": "wireless", "n": 50, "degree": degree, "system": "psvr/all"}
        rows += [
            row("delivery_ratio", 90 + degree / 4, 1, **{**cell, "system": system}) for system in ("psvr/all", "shen")
        ]
        rows.append(row("delivery_difference", 20 / degree - 1, 0.7, against="shen", **cell))
    return frame(rows)


def overhead() -> pd.DataFrame:
    rows = []
    fixed: dict[str, Any] = {"n": 50, "degree": 10.0, "s": 5, "churn": 0.0}
    varied: dict[str, tuple[str, tuple[float, ...]]] = {
        "size": ("n", (20, 50, 100, 200)),
        "density": ("degree", (6.0, 10.0, 16.0, 24.0)),
        "subscribers": ("s", (1, 5, 20, 49)),
        "churn": ("churn", (0.0, 0.1, 0.5, 1.0)),
    }
    for grid, (name, values) in varied.items():
        for value in values:
            cell: dict[str, Any] = {"grid": grid, **fixed, name: value}
            for system, more in (("psvr/all", 1.0), ("shen", 0.8)):
                base = more * (12 + cell["degree"] + cell["n"] / 20 + 2 * cell["s"] ** 0.5 + 4 * cell["churn"])
                table = more * 24 * (cell["degree"] + cell["s"] ** 0.5)
                rows += [
                    row("control_bytes", base, 0.6, system=system, **cell),
                    row("table_bytes", table, 14, 20, system=system, **cell),
                    row("stabilization", 4 + cell["n"] / 25 * more, 0.5, 1, system=system, **cell),
                    row("never_stable", 5.0 if cell["n"] == 200 else 0.0, system=system, **cell),
                ]
    for n in (10, 20, 50, 100, 200):
        rows += [
            row(name, 3 + slope * n, 0.6, 1, grid="line", n=n, s=5, system=system)
            for name, slope in (("stabilization", 0.3), ("recovery", 0.15))
            for system in ("psvr/all", "shen")
        ]
    for name in ("control_bytes", "parent_changes", "transmit_power", "energy_per_delivery"):
        rows += [
            row(name, 20 + n / 10, 0.6, 1, grid="wireless", n=n, degree=16.0, s=10, system=system)
            for n in (20, 50, 100)
            for system in ("psvr/all", "shen")
        ]
    rows += [row("never_recovered", 4.0, grid="line", n=200, s=5, system="shen")]
    return frame(rows)


def testbed() -> pd.DataFrame:
    rows = []
    for n in (10, 20, 50):
        for system, less in (("psvr/all", 0.0), ("shen", 1.0)):
            cell: dict[str, Any] = {"n": n, "length": 60.0, "width": 20.0, "system": system}
            rows += [
                row(
                    "delivery_ratio", 92 - n / 10 - less, 1.0, 2.0, grid="short", reading=reading, duration=7200, **cell
                )
                for reading in ("network", "node")
            ]
            rows += [
                row(
                    "delivery_over_time",
                    95 - less - 10 * (b % 20 == 12),
                    grid="long",
                    reading="network",
                    duration=36000,
                    bin=b,
                    **cell,
                )
                for b in range(1, 60)
            ]
    return frame(rows)


def healing() -> pd.DataFrame:
    """The last topologies take longest, as in the real ones."""
    rows = []
    for i, topology in enumerate(("geometric", "gnp", "grid", "line", "ring")):
        for loss in (0.0, 0.02, 0.05, 0.1):
            cell: dict[str, Any] = {"grid": "main", "topology": topology, "loss": loss, "system": "psvr/all"}
            rows += [
                row("healed_s", 24 + 3 * i + 90 * loss, 1.0, 9 + 1.5 * i, **cell),
                row("share_of_bound", 0.13 + 0.01 * i, 0.01, 0.05, **cell),
            ]
    return frame(rows)


def errata() -> pd.DataFrame:
    """Only the readings as printed go wrong; the sizes of networks differ."""
    rows = []
    shares = {"psvr": (0, 0, 0), "corrected": (0, 0, 0), "as-printed": (0, 0, 100), "printed-curpos": (40, 50, 0)}
    for reading, values in shares.items():
        for shortcuts in ("all", "nontree"):
            for n in (10, 20, 50):
                for s in (1, 5):
                    cell: dict[str, Any] = {"grid": "main", "topology": "gnp", "n": n, "degree": 8.0, "s": s}
                    rows += [
                        row(measure, min(100.0, share * (0.8 + n / 100)), system=f"{reading}/{shortcuts}", **cell)
                        for measure, share in zip(("never_ends", "repeated", "missed"), values)
                    ]
    return frame(rows)


FRAMES = {
    "gain": gain,
    "sensitivity": sensitivity,
    "hops": hops,
    "range": ranges,
    "throughput": throughput,
    "testbed": testbed,
    "overhead": overhead,
    "tables": tables,
    "predecessor": predecessor,
    "healing": healing,
    "errata": errata,
}

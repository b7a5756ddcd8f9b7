"""The intervals that are shown on the ring: those that nodes open, each inside the one that it was cut from."""

from psvr.routing.cases.report import Report, Step

MAX_LANES = 5  # of nested intervals
MAX_INTERVALS = 60  # more of them show nothing


def shown_lanes(report: Report) -> list[tuple[Step, int]]:
    """The intervals to be drawn, outermost in lane 0."""
    lanes = interval_lanes(report.steps) if report.system == "psvr" else []
    return [(step, lane) for step, lane in lanes if lane < MAX_LANES] if len(lanes) <= MAX_INTERVALS else []


def lane_count(lanes: list[tuple[Step, int]]) -> int:
    return max((lane + 1 for _, lane in lanes), default=0)


def interval_lanes(steps: list[Step]) -> list[tuple[Step, int]]:
    """The messages that open an interval, and how deeply each interval is nested.

    A node opens an interval unless it just passes on the one that it was given.
    """
    depth: list[int] = []
    opened = []
    for step in steps:
        if step.cause is None:
            depth.append(0)
            opened.append((step, 0))
            continue
        _, reached, ep = steps[step.cause].message
        handed_on = step.message[0] == reached and step.message[2] == ep
        depth.append(depth[step.cause] + (not handed_on))
        if not handed_on:
            opened.append((step, depth[-1]))
    return opened

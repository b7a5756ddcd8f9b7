"""A record of a swarm that has begun."""

from psvr.swarm.record import Record


def record(n: int, links: list[tuple[int, int]], dead: tuple[int, ...] = ()) -> Record:
    made = Record(n, links)
    for v in range(n):
        made.set_alive(v, v not in dead)
    made.begin()
    return made

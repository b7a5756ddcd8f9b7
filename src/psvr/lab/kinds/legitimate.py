"""When a network is legitimate: all invariants hold and, under a related system, its tables are right as well.

What the tables of a custom system should say is not among the invariants; the related systems say it themselves.
"""

import functools
from collections.abc import Callable
from typing import Any

from psvr.related import survey_of
from psvr.results.deliveries import SECOND
from psvr.sim.custom import compiled_form
from psvr.sim.network import Network


@functools.cache
def compiled_survey(system: str) -> Callable[[Any, Any], bool] | None:
    """Return the survey of a related system in its compiled form, or None if there is none."""
    survey = survey_of(system)
    return None if survey is None else compiled_form(survey)


def tables_hold(net: Network) -> bool:
    """Return whether a related system finds its tables as they should be; of others, the invariants say that."""
    survey = compiled_survey(net.scenario.protocol.system)
    if survey is None:
        return True
    nodes, _, clock = net.living()
    return bool(survey(nodes, clock))


def is_legitimate(net: Network) -> bool:
    """Return whether the network was legitimate when it was last checked."""
    return bool(net.history.checks) and net.history.checks[-1][1] and tables_hold(net)


def until_legitimate(net: Network, limit: float) -> float | None:
    """Return the seconds until the network is legitimate, or None if it is not within the limit."""
    start = net.now
    net.run(limit, stop=lambda: is_legitimate(net))
    return (net.now - start) / SECOND if is_legitimate(net) else None

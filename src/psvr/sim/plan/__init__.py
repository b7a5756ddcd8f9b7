"""Everything that the seed decides before a run: network, subscriptions, publications, faults."""

from .planning import Plan, plan

__all__ = ["Plan", "plan"]

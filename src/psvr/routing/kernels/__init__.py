"""Compiled computations on settled networks: trees, rings, shortcuts, routes of many publications."""

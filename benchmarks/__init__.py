"""Measurements of the package: `python -m benchmarks` runs them all, `python -m benchmarks NAME …` only those named.

A benchmark is a module of this package with a function `run` that prints its report.  One that sets
`ON_REQUEST` runs only if it is named; one with a function `with_options` takes what follows its name.
"""

"""Measures of traces: each takes pieces from the rows of a run, and finishes with a table about the run."""

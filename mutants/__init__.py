"""Planted bugs: does the test suite notice them?  `python -m mutants` plants one at a time in a copy of the tree.

The bugs are data: every `*.toml` file of this folder is a list.  `docs/reliability.md` says how to add one.
"""

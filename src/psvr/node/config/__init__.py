"""The settings of a node: from a file, the environment and flags."""

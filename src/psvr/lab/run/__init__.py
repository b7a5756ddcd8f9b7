"""Runs trials, locally or on a cluster, and stores their rows."""

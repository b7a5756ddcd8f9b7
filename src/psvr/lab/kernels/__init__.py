"""Compiled code: made ahead of the trials that need it, and chosen for what is sent to a cluster."""

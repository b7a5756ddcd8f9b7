"""Cases and reports: one publication in one network, read from JSON, answered under every system."""

"""Real node processes on this machine, driven by a scenario of the simulator."""

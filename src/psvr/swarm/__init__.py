"""Real node processes on this machine, running a scenario of the simulator."""

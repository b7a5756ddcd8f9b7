"""The results of a run, whether of the simulator, a swarm or a study."""

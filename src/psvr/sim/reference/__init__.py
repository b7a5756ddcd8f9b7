"""A second implementation of the simulator, small and slow, for tests: plain objects, nothing compiled."""

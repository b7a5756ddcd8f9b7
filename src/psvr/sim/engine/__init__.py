"""The compiled engine: takes events from a queue, moves frames, and lets every node run the rules."""

"""The protocol: what a node remembers, what it says, and the rules by which it reacts."""

"""The parts of a node that need neither a clock nor a socket: host, transport, what applications see."""

"""The parts of a node without a socket or a timer: host, transport, what applications see."""

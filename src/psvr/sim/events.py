"""The kinds of events that the engine serves, and what a frame on the air may be."""

WAKE, HELLO_END, SUB_START, SUB_END, PUB_END, SOURCE = range(6)         # then those of the wireless channel
ACK = 0                         # of a frame on the air: what it is beside HELLO_END, SUB_END and PUB_END
KINDS = 16
SLOTS = 1 << 16                 # a PUB on its way is known by its slot, and by which flight from there it is

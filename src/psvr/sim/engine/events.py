"""The kinds of events that the engine processes, and the kinds of frames on the air."""

WAKE, HELLO_END, SUB_START, SUB_END, PUB_END, SOURCE = range(6)
READY, SENSE, START, FINISH, ANSWER, LATE, BURST, QUIET = range(6, 14)  # of the wireless channel
ACK = 0  # the kind of a frame on the air, besides HELLO_END, SUB_END and PUB_END
KINDS = 16
SLOTS = 1 << 16  # a PUB under way is identified by its slot and the number of its flight from there

"""Every number of the protocol, with the reason for it.

Times are in microseconds; those given in periods are multiples of the HELLO period, so that a slower or faster network
keeps its proportions.  Measurements in comments are from the experiments behind our reading of the paper.
"""

SECOND = 1_000_000
MILLISECOND = 1_000
FOREVER = 1 << 62  # longer than any time-out, with room to add to it

NOBODY = -1  # no node
NO_CHANNEL = 0  # no channel: marks a free row

# Hosts send one HELLO per period, a little early or late, so that neighbours do not keep colliding.
HELLO_PERIOD = 1 * SECOND
JITTER_PERCENT = 10

# Layer 1, links.
LINKS = 8  # C_N: a HELLO that lists this many links, all of them children, still fits an 802.15.4 frame
# 0.85 and 0.6 instead of 0.7 and 0.45 fail at 20 % loss: delivery 0.38.  With 0.55 and 0.45 for all links, nodes near
# sources of interference were isolated for minutes: 85 % were delivered instead of 93 %.
QUALITY_ONE = 65535  # everything is received
QUALITY_START = 32768  # nothing is known yet about a node just heard
QUALITY_ADMIT = 45875  # 0.7: good enough to be taken in
QUALITY_JOIN = 26214  # 0.4: good enough if it joins two trees; without this, a bridge at 20 % loss waited 75 s
QUALITY_DROP = 29491  # 0.45: too bad to be kept; far below ADMIT, so that links do not flap
QUALITY_DROP_TREE = 19661  # 0.3: the same in a tree, or between two; far below JOIN, for the same reason
QUALITY_BETTER = 9830  # 0.15: by how much a node must be better to replace a link below ADMIT, or links flap
QUALITY_BYTE = 257  # one step of the byte on the wire: 255 · 257 = 65535
SAMPLES = 31  # the weight of a sample is 1/(k+2), but never below 1/33 ≈ 0.03
MAX_GAP = 16  # HELLOs counted as lost at a time; a wider gap is a restart or a fault
SILENCE = 8  # periods without a HELLO after which a node is gone …
PATIENCE, PATIENCE_STEP = 8, 1638  # … a link up to 8 later, one per 0.025 below ADMIT: where half of all HELLOs are
# lost, eight in a row are lost every few minutes …
MEMORY = 64  # … and after which what was learned about its quality is forgotten: a link that fades comes back
HALF_OPEN = 5  # periods within which the other side has to keep me, too
MAX_HALF_OPEN = 2  # open proposals at a time
REFUSED_MIN, REFUSED_MAX = 3, 12  # periods for which to leave a node alone that did not answer a proposal
EVICTED_MIN, EVICTED_MAX = 5, 15  # periods for which to leave a node alone that had to make room

# Layer 2, tree.
SEQ_LIMIT = (1 << 31) - (1 << 24)  # a root restarts at 0 here; linear order: an order that wraps around failed
SEQ_TRUSTED = 1 << 30  # my own number, heard from others, is believed up to here: half of the range is left to count
ROOT_LIFE = 8  # periods without a newer number until a root is dead …
ROOT_LIFE_STEPS = 8  # … plus one period per 8 steps of distance: a number takes time to travel
LATE_AFTER = 2  # periods after which a newer number is passed on at once
YOUNG, MAX_DOUBLINGS = 16, 8  # periods for which a link is young; how many doublings of its age are distinguished
DEAD_MARGIN = 8  # periods for which a dead root's old numbers are refused after the last node may have
# given it up: otherwise the first to give it up hear about it again from the last
DEPTH = 64  # D_max: stops the counting towards roots that do not exist; must exceed the depth of the tree
MAX_DISTANCE = 65535  # what a HELLO can express
MAX_SIZE = 1 << 29  # nodes in a subtree: 2 · MAX_SIZE still fits a position

# Layer 3, ring.  A triggered HELLO halves the service lost after a crash of the root (7.8 s instead of 15.6).
TRIGGER_MIN, TRIGGER_MAX = 20 * MILLISECOND, 100 * MILLISECOND
TRIGGER_GAP = 200 * MILLISECOND  # the minimum time between two HELLOs of a node
# A change is repeated while a tree neighbour does not act on it: otherwise, a new ring would wait for a whole period at
# every step where one HELLO was lost.
REMINDERS = 4
REMIND_MIN, REMIND_MAX = 200 * MILLISECOND, 300 * MILLISECOND

# Layer 4, publish/subscribe.
LEASE_BASE, LEASE_STEP, LEASE_MAX = 5 * SECOND, 50 * MILLISECOND, 300 * SECOND  # δ_S = clip(5 s + 0.05 s · l)
WRITE_BACK = 4  # T_w/back in δ_S: 0.12 % of entries point past a subscriber at 5 % loss, 2 % at 2.2
WRITE_BACK_PAPER = 3  # the smallest number above the two leases that the paper asks for
CLEANS = 10  # T_clean = δ_S / 10
BURST_MIN, BURST_MAX = 50 * MILLISECOND, 450 * MILLISECOND  # until the first SUB on a new ring …
BURST_SECOND, BURST_THIRD = 1200 * MILLISECOND, 1600 * MILLISECOND  # … and the pauses before the two repetitions:
BURSTS = 3  # longer than RELAY_PAUSE, or nobody passes them on
RELAY_PAUSE = 1 * SECOND  # the same SUB is relayed only once in this time, or copies multiply to 2^hops
MIN_SUB_COPIES, SUB_COPIES = 2, 5  # over a radio, hosts send each SUB twice, or more often …
SUB_MISSED = 655  # … until one in a hundred tree neighbours would miss it, going by the worst link …
SUB_COPY_GAP = 150 * MILLISECOND  # … this far apart
OUTBOX = 256  # publications that hosts let wait for a ring, at most, and keep for repetition, at least …
KEEP = 20 * SECOND  # … until they are this old …
REPEAT_LIFE = 25 * SECOND  # … so a repetition that arrives is younger than this
NAME_LIFE = 100 * SECOND  # how long a publication that was here is remembered; longer, and a fault that wrote names
# which are still to come would cost these publications at any later time
MAX_AGE = 65535  # ms: the largest age that a PUB can state
MAX_AGAIN = 7  # the largest number of times sent anew that it can state
MAX_HOPS = 65535  # what SUB and PUB can count
# Hosts: what they do with publications that cannot go on.
ROUNDS, ROUND_PAUSE = 2, 1 * SECOND  # how often a frame that failed, detour and all, is tried again; how much later
FLIGHT = 10  # periods after which a publication has arrived, or is in the hands of a node that is
# alive: any that had it and crashed was missed after SILENCE, and the ring was lost
MAX_HELD_BYTES = 16 << 20  # of payload that a host keeps and looks after, at most
STUCK_PAUSE = 250 * MILLISECOND  # between two searches for a way on
MAX_EARLY = 2 * SECOND  # a ring that is not here after this time will not come: a PUB of it starts over on mine
START_OVER = 4  # one in this many scans lets a publication start over: after 1 s, on average
LEARNT_PAUSE = 50 * MILLISECOND  # from a SUB to the scan of what may have waited for it
MAX_HELD = 120 * SECOND  # nothing is held for longer …
HELD_CHECK = 16  # … and all that is held is scanned once in this many HELLOs
KEPT_PAUSE = 500 * MILLISECOND  # between two scans for what has been kept for too long: there may be thousands
SCAN_SLOTS = 512  # slots scanned at a time: with thousands, a live node would be deaf for 10 ms …
SCAN_PAUSE = 5 * MILLISECOND  # … and the pause before the rest, or before there is room for more effects
PROBES = 64  # rows examined for one channel: a lookup costs the same for any table

# Frames: the 127 bytes of 802.15.4, less 9 for the MAC header with short addresses and 2 for the checksum.
FRAME = 116

# Shortcut sets.
ALL, NONTREE = 0, 1
SHORTCUTS = ("all", "nontree")

# Publish/subscribe layers.
PSVR, VR2015, RING, SHEN, FLOOD = range(5)
SYSTEMS = ("psvr", "vr2015", "ring", "shen", "flood")
MAX_CUSTOM = 1024  # one more than the number of custom systems that a process can ever know

# Why a frame went no further.
(
    FINE,
    NOT_A_LINK,
    NOT_IN_TREE,
    NO_RING,
    OTHER_RING,
    NOT_MY_POSITION,
    TOO_MANY_HOPS,
    ECHO,
    NO_WAY,
    REPEATED,
    NO_ROOM,
    OUT_OF_RANGE,
    LINK_FAILED,
    NOT_HELD,
    CROWDED,
    NODE_STOPPED,
    ALONE,
    NOT_FILLED,
    NOT_KEPT,
    NO_SUBSCRIBER,
) = range(20)
REASONS = (
    "fine",
    "the sender is not a kept link",
    "the sender is not a tree neighbour",
    "no ring yet",
    "it belongs to another ring",
    "the position is not mine",
    "the hop limit is used up",
    "it came from me",
    "no usable neighbour leads there",
    "it was here before",
    "no row is free for the channel",
    "a value is out of range",
    "all tries on the link failed",
    "there is no room to hold it",
    "its subscriber took it for a repetition",
    "the node that had it stopped",
    "no other node is in reach",
    "the tables of a new ring were not filled yet",
    "there was no room to keep it until it could be sent again",
    "no subscriber is known where it was sent",
)

"""Every number of the protocol, with its reason.

Times are microseconds; those in periods are multiples of the HELLO period, so that a slower or faster network keeps
its proportions.  Where a comment names a measurement, it is from the experiments behind our reading of the paper.
"""

SECOND = 1_000_000
MILLISECOND = 1_000
FOREVER = 1 << 62               # longer than any time-out, and room to add to it

NOBODY = -1                     # no node
NO_CHANNEL = 0                  # no channel: marks a free row

# Hosts send one HELLO per period, a little early or late, so that neighbours do not collide for ever.
HELLO_PERIOD = 1 * SECOND
JITTER_PERCENT = 10

# Layer 1, links.
LINKS = 8                       # C_N: with 802.15.4 a HELLO that lists them, all children, still fits a frame
# 0.85 and 0.6 instead of 0.7 and 0.45 fail at 20 % loss: delivery 0.38.  With 0.55 and 0.45 for all links, nodes near
# sources of interference were alone for minutes: 85 % delivered instead of 93 %.
QUALITY_ONE = 65535             # reception of everything
QUALITY_START = 32768           # nothing is known of a node just heard
QUALITY_ADMIT = 45875           # 0.7: good enough to be taken in
QUALITY_JOIN = 26214            # 0.4: good enough if it joins two trees; without, a bridge at 20 % loss waited 75 s
QUALITY_DROP = 29491            # 0.45: too bad to be kept; far below ADMIT, so that links do not flap
QUALITY_DROP_TREE = 19661       # 0.3: … in a tree, or between two; far below JOIN, for the same reason
QUALITY_BETTER = 9830           # 0.15: what a node must be better by to replace a link below ADMIT, or links flap
QUALITY_BYTE = 257              # one step of the byte on the wire: 255 · 257 = 65535
SAMPLES = 31                    # the weight of a sample is 1/(k+2) and never below 1/33 ≈ 0.03
GAP_MOST = 16                   # HELLOs counted as lost in one go; more is a restart or a fault
SILENCE = 8                     # periods without HELLO after which a node is gone …
PATIENCE, PATIENCE_STEP = 8, 1638       # … a link up to 8 later, one per 0.025 that it is worse than ADMIT: where half
                                # of all HELLOs are lost, eight in a row are lost every few minutes …
MEMORY = 64                     # … and for which it is remembered how well it was heard: a link that fades comes back
HALF_OPEN = 5                   # periods until the other side has to keep me too
HALF_OPEN_MOST = 2              # proposals under way at a time
REFUSED_LEAST, REFUSED_MOST = 3, 12     # periods to leave a node alone that did not answer a proposal
EVICTED_LEAST, EVICTED_MOST = 5, 15     # periods to leave a node alone that had to make room

# Layer 2, tree.
SEQ_LIMIT = (1 << 31) - (1 << 24)       # a root starts again at 0 here; linear order, wrapping order failed
SEQ_TRUSTED = 1 << 30           # my own number, heard from others, is believed up to here: half is left to count
ROOT_LIFE = 8                   # periods without a newer number until a root is dead …
ROOT_LIFE_STEPS = 8             # … and one period more per 8 steps of distance: news need time to travel
NEWS_LATE = 2                   # periods after which a newer number is passed on at once
YOUNG, AGES = 16, 8             # periods that a link is young, and doublings of its age that are told apart
DEAD_MORE = 8                   # periods for which a dead root's old numbers are refused after the last node may have
                                # given it up: else the first to give it up hear of it again from the last
DEPTH = 64                      # D_max: ends the counting of fake roots; must exceed the depth of the tree
DISTANCE_MOST = 65535           # what a HELLO can say
SIZE_MOST = 1 << 29             # nodes of a subtree: 2 · SIZE_MOST still fits a position

# Layer 3, ring.  A triggered HELLO halves the service lost after a root's crash (7.8 s instead of 15.6).
TRIGGER_LEAST, TRIGGER_MOST = 20 * MILLISECOND, 100 * MILLISECOND
TRIGGER_GAP = 200 * MILLISECOND         # the least time between two HELLOs of a node
# A change is said again while a tree neighbour does not act upon it: else a new ring waits for a whole period at every
# step where one HELLO was lost.
REMINDERS = 4
REMIND_LEAST, REMIND_MOST = 200 * MILLISECOND, 300 * MILLISECOND

# Layer 4, publish/subscribe.
LEASE_BASE, LEASE_STEP, LEASE_MOST = 5 * SECOND, 50 * MILLISECOND, 300 * SECOND     # δ_S = clip(5 s + 0.05 s · l)
WRITE_BACK = 4                  # T_w/back in δ_S: 0.12 % of entries point past a subscriber at 5 % loss, 2 % at 2.2
WRITE_BACK_PAPER = 3            # the least that is more than the two leases that the paper asks for
CLEANS = 10                     # T_clean = δ_S / 10
BURST_LEAST, BURST_MOST = 50 * MILLISECOND, 450 * MILLISECOND   # first SUB on a new ring …
BURST_SECOND, BURST_THIRD = 1200 * MILLISECOND, 1600 * MILLISECOND      # … and the pauses before two repetitions:
BURSTS = 3                      # longer than RELAY_PAUSE, or nobody passes them on
RELAY_PAUSE = 1 * SECOND        # the same SUB is relayed once in this time, or copies grow with 2^hops
SUB_COPIES_LEAST, SUB_COPIES = 2, 5     # over a radio, hosts send each SUB twice, or more often …
SUB_MISSED = 655                # … until one in a hundred tree neighbours would miss it, by the worst link …
SUB_COPY_GAP = 150 * MILLISECOND        # … this far apart
OUTBOX = 256                    # publications that hosts let wait for a ring, at most, and repeat, at least …
KEEP = 20 * SECOND              # … until they are this old …
REPEAT_LIFE = 25 * SECOND       # … so a repetition that arrives is younger than this
NAME_LIFE = 100 * SECOND        # a publication that was here is known for so long; longer, and a fault that wrote down
                                # names which are still to come would cost these publications at any later time
AGE_MOST = 65535                # ms: what a PUB can say of its age
AGAIN_MOST = 7                  # … and of how often it was sent anew
HOPS_MOST = 65535               # what SUB and PUB can count
# Hosts: what they do with publications that cannot go on.
ROUNDS, ROUND_PAUSE = 2, 1 * SECOND     # a frame that failed, detour and all, is tried again so often, so much later
FLIGHT = 10                     # periods after which a publication has arrived, or is in the hands of somebody who
                                # lives: whoever had it and crashed was missed after SILENCE, and the ring was lost
HELD_BYTES = 16 << 20           # of payload that a host keeps and takes care of, at most
STUCK_PAUSE = 250 * MILLISECOND         # between two looks for a way
EARLY_MOST = 2 * SECOND         # a ring that is not here after so long will not come: a PUB of it starts over on mine
START_OVER = 4                  # one of so many looks lets a publication start over: 1 s, on average
LEARNT_PAUSE = 50 * MILLISECOND         # from a SUB to the look at what may have waited for it
HELD_MOST = 120 * SECOND        # nothing is held for longer …
HELD_CHECK = 16                 # … and all that is held is looked at once in so many HELLOs
KEPT_PAUSE = 500 * MILLISECOND          # between two looks for what is kept for too long: there may be thousands
LOOKS = 512                     # slots looked at in one go: with thousands, a live node would be deaf for 10 ms …
NEXT_LOOK = 5 * MILLISECOND     # … and the pause before the rest, or before effects have room again
PROBES = 64                     # rows looked at for one channel: look-up costs the same for any table

# Frames.  127 bytes of 802.15.4 less 9 of MAC header with short addresses and 2 of check sum.
FRAME = 116

# Shortcut sets.
ALL, NONTREE = 0, 1
SHORTCUTS = ("all", "nontree")

# Publish/subscribe layers.
PSVR, VR2015, RING, SHEN, FLOOD = range(5)
SYSTEMS = ("psvr", "vr2015", "ring", "shen", "flood")
OWN_MOST = 1024                 # systems of one's own that a process can ever know, less one

# Why a frame went no further.
(FINE, NOT_A_LINK, NOT_IN_TREE, NO_RING, OTHER_RING, NOT_MY_POSITION, TOO_MANY_HOPS, ECHO, NO_WAY, REPEATED, NO_ROOM,
 OUT_OF_RANGE, LINK_FAILED, NOT_HELD, CROWDED, NODE_STOPPED, ALONE, NOT_FILLED, NOT_KEPT,
 NO_SUBSCRIBER) = range(20)
REASONS = (
    "fine", "the sender is not a kept link", "the sender is not a tree neighbour", "no ring yet",
    "it belongs to another ring", "the position is not mine", "the hop limit is used up", "it came from me",
    "no usable neighbour leads there", "it was here before", "no row is free for the channel",
    "a value is out of range", "all tries on the link failed", "there is no room to hold it",
    "its subscriber took it for a repetition", "the node that had it stopped",
    "no other node is in reach", "the tables of a new ring were not filled yet",
    "there was no room to keep it until it could be sent again", "no subscriber is known where it was sent")

"""What a node remembers and what its messages carry.

Of a node's memory, three parts can be trusted after any fault, because they are read-only: its id, its settings, and
what its application has subscribed.  All the rest may hold anything, and the rules bring it back.
"""

from typing import Annotated

from . import constants as k
from .layout import Int, Many, record
from .numbers import COUNT_MOST, LOW32

ID = Int(8, k.NOBODY, (1 << 63) - 1)
POSITION = Int(4, -1, 2 * k.SIZE_MOST - 1)
CHANNEL = Int(8, -(1 << 63), (1 << 63) - 1)
NUMBER = Int(4, 0, (1 << 31) - 1)

Id = Annotated[int, ID]
Position = Annotated[int, POSITION]
Channel = Annotated[int, CHANNEL]                   # hash of a channel's name
Number = Annotated[int, NUMBER]
Time = Annotated[int, Int(8, 0, k.FOREVER)]         # µs
Flag = Annotated[int, Int(4, 0, 1)]
Short = Annotated[int, Int(4, 0, 65535)]            # link quality, hops, small counts
Size = Annotated[int, Int(4, 0, k.SIZE_MOST)]
Digest = Annotated[int, Int(8, -1, LOW32)]          # 32 bits, or −1: none
Length = Annotated[int, Int(4, 0, 2 * k.SIZE_MOST)]
Count = Annotated[int, Int(8, 0, COUNT_MOST)]
Positions = Annotated[list[int], Many("links", POSITION)]    # ended by −1, if not full


@record
class Settings:
    """Constants of a node."""

    hello: Time             # period
    lease: Time             # δ_S; 0: from the ring's length
    links: Short            # C_N: places of the table of links that may be used
    depth: Short            # D_max
    frame: Short            # bytes of the longest frame
    id_bytes: Short         # 2, 4 or 8: width of ids on the wire
    position_bytes: Short
    system: Short
    own: Short              # whose rules take the place of the system's, see `own`; 0: nobody's
    shortcuts: Short
    # What hosts do beyond the paper, and the paper's times; see `profiles`.
    wait: Time              # µs that a publication waits for a ring …
    repeat: Time            # … may be repeated by its origin …
    custody: Time           # … and is taken care of where it got stuck; 0: it is not
    doubt: Flag             # one that may not have reached all is repeated, too
    detour: Flag            # the second-best neighbour, when a link fails
    rounds: Short           # how often a frame that failed is tried again
    memory: Flag            # nothing is handed over twice
    reminders: Short        # how often a change is said again to tree neighbours that do not act upon it
    sub_copies: Short       # of a SUB that is broadcast
    sub_acks: Flag          # SUBs go to each tree neighbour, and are acknowledged
    write_back: Short       # T_w/back, in leases
    cleans: Short           # T_clean is a lease divided by this
    bursts: Short           # SUBs on a new ring
    relay_pause: Time       # the same SUB is relayed once in this time


@record
class Link:
    """A kept link, and what its other end last said."""

    id: Id
    since: Time             # when it was taken in
    heard: Time
    number: Number          # of the last HELLO
    samples: Short
    q_in: Short
    q_out: Short
    keeps_me: Flag          # it keeps me too: the link is two-way
    free: Short
    alt: Flag               # it has another way to the root
    root: Id
    parent: Id
    dist: Short
    seq: Number
    size: Size
    digest: Digest
    ring: Digest
    length: Length
    my_start: Position      # what it, as a parent, assigns to me …
    my_digest: Digest       # … provided that this is my digest
    position: Positions     # its own


@record
class Candidate:
    """A node that is heard, but not kept."""

    id: Id
    heard: Time
    shun: Time              # do not propose to it until then …
    evicted: Flag           # … nor accept it, for it had to make room
    number: Number
    samples: Short
    q_in: Short
    q_out: Short
    keeps_me: Flag
    free: Short
    root: Id


@record
class Entry:
    """⟨ns, t_s, nstmp⟩, and a time stamp for nstmp of its own."""

    since: Time
    spare_since: Time
    ns: Position
    spare: Position


@record
class Row:
    """RS of one channel: an entry per own position (under `shen`: per link)."""

    entry: Annotated[list[Entry], Many("links")]


@record
class Seen:
    """A publication that was here."""

    origin: Id
    boot: Number
    number: Number
    at: Time


@record
class Relayed:
    key: Annotated[int, Int(8, 0, LOW32)]
    at: Time


@record
class Node:
    """All that a node remembers."""

    id: Id
    settings: Settings
    wants: Annotated[list[int], Many("channels", CHANNEL)]       # C_S, the application's subscriptions
    number: Number                                              # of my last HELLO
    link: Annotated[list[Link], Many("links")]
    candidate: Annotated[list[Candidate], Many("candidates")]
    turn: Short             # whose turn it is in the next HELLO, of the candidates
    turned_away: Short      # good nodes of other trees, for whom there is no place
    root: Id
    parent: Id
    dist: Short
    seq: Number             # the root's
    own: Number             # mine, when I am root
    fresh: Time             # when the root last proved that it lives
    dead_root: Id
    dead_seq: Number
    dead_at: Time
    size: Size
    digest: Digest
    ring: Digest
    length: Length
    position: Positions     # P
    channel: Annotated[list[int], Many("channels", CHANNEL)]     # which channel a row of RS is for
    row: Annotated[list[Row], Many("channels")]
    overflow: Count         # SUBs that found no row
    seen: Annotated[list[Seen], Many("window")]
    seen_next: Short
    relayed: Annotated[list[Relayed], Many("relays")]
    bursts: Short           # SUBs still to be sent on a new ring
    hello_at: Time
    trigger_at: Time        # of the triggered HELLO; 0: none
    remind_at: Time         # of one that says the same once more, if a tree neighbour needs it; 0: none
    reminders: Short        # how many of those are left
    said_at: Time           # when the last HELLO was sent
    sub_at: Time
    clean_at: Time


READ_ONLY = ("id", "settings", "wants")


@record
class Listed:
    """A kept link in a HELLO; children come first, in ascending id, and alone have a size and a digest."""

    id: Id
    quality: Annotated[int, Int(4, 0, 255)]
    size: Size
    digest: Digest


@record
class Heard:
    id: Id
    quality: Annotated[int, Int(4, 0, 255)]


@record
class Hello:
    """All that the lower three layers say, once per period."""

    src: Id
    number: Number
    free: Short
    alt: Flag
    root: Id
    parent: Id
    dist: Short
    seq: Number
    size: Size
    digest: Annotated[int, Int(8, 0, LOW32)]
    ring: Digest
    length: Length
    start: Position
    children: Short
    links: Short
    heards: Short
    link: Annotated[list[Listed], Many("links")]
    heard: Annotated[list[Heard], Many("candidates")]


@record
class Sub:
    """⟨r, C, P_s⟩ over the tree; under `shen`, what is wanted on my side, for one neighbour."""

    src: Id
    to: Id                  # a tree neighbour, or NOBODY: all of them
    back: Id                # r: whom the sender has it from
    limit: Short            # hops left
    ring: Digest
    last: Flag              # under `shen`: this is all, what is not named is not wanted
    channels: Short
    position: Positions
    channel: Annotated[list[int], Many("batch", CHANNEL)]


@record
class Pub:
    """⟨cur, ep, c, data⟩; the data travels beside it."""

    src: Id
    cur: Position
    ep: Position            # end point; under `vr2015` and `ring`, where the message started
    ring: Digest
    channel: Channel
    origin: Id
    boot: Number
    number: Number
    hops: Short
    again: Annotated[int, Int(4, 0, k.AGAIN_MOST)]  # how often it was sent anew, from where a ring was lost
    age: Annotated[int, Int(4, 0, k.AGE_MOST)]      # ms since it was published, when it left its last node
    load: Annotated[int, Int(4, 0, 1 << 20)]        # bytes of data


@record
class Send:
    """One PUB to be sent."""

    to: Id                  # NOBODY: broadcast
    at: Position            # the own position from which it goes
    goal: Position
    ep: Position


@record
class Outcome:
    """What became of a PUB at a node."""

    deliver: Flag
    reason: Short           # why it, or a part of it, went no further
    sends: Short
    send: Annotated[list[Send], Many("links")]
    stuck: Short
    left: Annotated[list[Send], Many("links")]      # parts of the ring that no neighbour leads to


@record
class Held:
    """A publication in a host's hands, or the part of one that it is responsible for; see `holding`."""

    state: Short
    reason: Short           # why it is stuck
    handle: Annotated[int, Int(8, 0, k.FOREVER)]    # of its payload; the driver's
    made: Time              # when it was published, by my clock …
    since: Time             # … and when this slot was taken for it
    due: Time               # when it is tried again; of one that is kept, when its ring was lost
    to: Id                  # of a frame: to whom …
    start: Position         # … and from which of my positions; of a free slot: which is free, too
    rounds: Short
    detoured: Flag
    length: Length          # of the ring on which it was last sent
    doubted: Flag           # when it was last sent, it might not have reached all …
    early: Flag             # … because tables were being filled …
    sent: Flag              # … and there was a subscriber to send it to
    here: Flag              # applications of this node got it
    pub: Pub


@record
class Handed:
    """The name of a publication, and when it was handed to applications."""

    origin: Id
    boot: Number
    number: Number
    at: Time


@record
class Taken:
    """A PUB that was taken over from a neighbour."""

    origin: Id
    boot: Number
    number: Number
    again: Short
    hops: Short
    cur: Position
    ep: Position
    ring: Digest
    at: Time


@record
class Effect:
    """What a driver is to do; see `host`."""

    kind: Short
    slot: Annotated[int, Int(4, -1, 1 << 30)]
    reason: Short


@record
class Effects:
    """Not a host's memory: what is to be done before anything else happens."""

    count: Annotated[int, Int(4, 0, 1 << 30)]
    effect: Annotated[list[Effect], Many("effects")]


@record
class Host:
    """What a host remembers beside its tables."""

    born: Time              # when it started: what was published before may have been handed over before
    boot: Number            # which start this is
    number: Number          # of its last publication
    look_at: Time           # when to look at what it holds
    next: Annotated[int, Int(4, -1, 1 << 30)]       # the first free slot of those below …
    top: Annotated[int, Int(4, 0, 1 << 30)]         # … this one; all from here on are free
    used: Annotated[int, Int(4, 0, 1 << 30)]        # how many are not
    turn: Annotated[int, Int(4, 0, 1 << 30)]        # the slot that has to make room next …
    seen: Annotated[int, Int(4, 0, 1 << 30)]        # … and that is to be looked at next, in the midst of a look …
    later: Time             # … and when to look again after that
    weight: Count           # bytes of payload in hand
    ring: Digest            # as last seen …
    phase: Short            # … and how far it was
    hopes: Flag             # something that is held may go on when the table has changed
    met: Flag               # it has had a neighbour
    taken: Annotated[list[Taken], Many("taken")]

"""What a node remembers and what its messages carry.

Three parts of a node's memory can be trusted after any fault, because they are read-only: its id, its settings, and its
application's subscriptions.  Everything else may hold anything, and the rules restore it.
"""

from typing import Annotated

from . import constants as k
from .layout import Int, Many, record
from .numbers import LOW32, MAX_COUNT

ID = Int(8, k.NOBODY, (1 << 63) - 1)
POSITION = Int(4, -1, 2 * k.MAX_SIZE - 1)
CHANNEL = Int(8, -(1 << 63), (1 << 63) - 1)
NUMBER = Int(4, 0, (1 << 31) - 1)

Id = Annotated[int, ID]
Position = Annotated[int, POSITION]
Channel = Annotated[int, CHANNEL]  # hash of the channel's name
Number = Annotated[int, NUMBER]
Time = Annotated[int, Int(8, 0, k.FOREVER)]  # µs
Flag = Annotated[int, Int(4, 0, 1)]
Short = Annotated[int, Int(4, 0, 65535)]  # link quality, hops, small counts
Size = Annotated[int, Int(4, 0, k.MAX_SIZE)]
Digest = Annotated[int, Int(8, -1, LOW32)]  # 32 bits, or −1: none
Length = Annotated[int, Int(4, 0, 2 * k.MAX_SIZE)]
Count = Annotated[int, Int(8, 0, MAX_COUNT)]
Positions = Annotated[list[int], Many("links", POSITION)]  # terminated by −1 unless full


@record
class Settings:
    """The constants of a node."""

    hello: Time  # the period
    lease: Time  # δ_S; 0: from the ring's length
    links: Short  # C_N: how many places in the table of links may be used
    depth: Short  # D_max
    frame: Short  # bytes of the longest frame
    id_bytes: Short  # 2, 4 or 8: width of ids on the wire
    position_bytes: Short
    system: Short
    custom: Short  # the row in `systems.ROWS` of the custom system whose rules replace those of `system`; 0: none
    shortcuts: Short
    # What hosts do beyond the paper, and the paper's own times; see `profiles`.
    wait: Time  # µs for which a publication waits for a ring …
    repeat: Time  # … for which its origin may repeat it …
    custody: Time  # … and for which it is looked after where it got stuck; 0: not at all
    doubt: Flag  # one that may not have reached everybody is repeated, too
    detour: Flag  # when a link fails, the second-best neighbour is tried
    rounds: Short  # how often a frame that failed is tried again
    memory: Flag  # nothing is handed over twice
    reminders: Short  # how often a change is repeated to tree neighbours that do not act on it
    sub_copies: Short  # of a SUB that is broadcast, at most
    sub_acks: Flag  # SUBs go to each tree neighbour, which acknowledges them
    write_back: Short  # T_w/back, in leases
    cleans: Short  # T_clean is a lease divided by this
    bursts: Short  # SUBs on a new ring
    relay_pause: Time  # the same SUB is relayed only once in this time


@record
class Link:
    """A kept link, and what its other end last said."""

    id: Id
    since: Time  # when it was taken in
    heard: Time
    number: Number  # of the last HELLO
    samples: Short
    q_in: Short
    q_out: Short
    keeps_me: Flag  # it keeps me, too: the link is two-way
    free: Short
    alt: Flag  # it has another way to the root
    root: Id
    parent: Id
    dist: Short
    seq: Number
    size: Size
    digest: Digest
    ring: Digest
    length: Length
    my_start: Position  # what it, as a parent, assigns to me …
    my_digest: Digest  # … provided that this is my digest
    position: Positions  # its own


@record
class Candidate:
    """A node that is heard but not kept."""

    id: Id
    heard: Time
    shun: Time  # do not propose to it before then …
    evicted: Flag  # … nor accept it, because it had to make room
    number: Number
    samples: Short
    q_in: Short
    q_out: Short
    keeps_me: Flag
    free: Short
    root: Id


@record
class Entry:
    """The paper's ⟨ns, t_s, nstmp⟩, with a separate time stamp for nstmp."""

    since: Time  # t_s: when ns was last confirmed …
    spare_since: Time  # … and when spare was
    ns: Position  # the next subscriber
    spare: Position  # nstmp: what replaces ns if it is not confirmed in time


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
    """A SUB that was relayed."""

    key: Annotated[int, Int(8, 0, LOW32)]  # a hash of its first position, ring and channels
    at: Time


@record
class Node:
    """Everything that a node remembers."""

    id: Id
    settings: Settings
    wants: Annotated[list[int], Many("channels", CHANNEL)]  # C_S, the application's subscriptions
    number: Number  # of my last HELLO
    link: Annotated[list[Link], Many("links")]
    candidate: Annotated[list[Candidate], Many("candidates")]
    turn: Short  # which candidate comes first in the next HELLO
    turned_away: Short  # good nodes of other trees for which there is no place
    root: Id
    parent: Id
    dist: Short
    seq: Number  # the root's
    own: Number  # mine, for when I am root
    fresh: Time  # when the root last proved that it is alive
    dead_root: Id
    dead_seq: Number
    dead_at: Time
    size: Size
    digest: Digest
    ring: Digest
    length: Length
    position: Positions  # P
    channel: Annotated[list[int], Many("channels", CHANNEL)]  # the channel of each row of RS
    row: Annotated[list[Row], Many("channels")]
    overflow: Count  # how many SUBs found no row
    seen: Annotated[list[Seen], Many("window")]
    seen_next: Short
    relayed: Annotated[list[Relayed], Many("relays")]
    bursts: Short  # SUBs still to be sent on a new ring
    hello_at: Time
    trigger_at: Time  # of the triggered HELLO; 0: none
    remind_at: Time  # of its repetition, if a tree neighbour needs it; 0: none
    reminders: Short  # how many repetitions are left
    said_at: Time  # when the last HELLO was sent
    sub_at: Time
    clean_at: Time


READ_ONLY = ("id", "settings", "wants")


@record
class Listed:
    """A kept link in a HELLO.  Children come first, in ascending id; only they have a size and a digest."""

    id: Id
    quality: Annotated[int, Int(4, 0, 255)]
    size: Size
    digest: Digest


@record
class Heard:
    """A candidate in a HELLO."""

    id: Id
    quality: Annotated[int, Int(4, 0, 255)]


@record
class Hello:
    """Everything that the lower three layers say, once per period."""

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
    to: Id  # a tree neighbour, or NOBODY: all of them
    back: Id  # r: from whom the sender got it
    limit: Short  # hops left
    ring: Digest
    last: Flag  # under `shen`: the list is complete; anything not named is not wanted
    channels: Short
    position: Positions
    channel: Annotated[list[int], Many("batch", CHANNEL)]


@record
class Pub:
    """⟨cur, ep, c, data⟩, with the data kept separately."""

    src: Id
    cur: Position
    ep: Position  # end point; under `vr2015` and `ring`, where the message started
    ring: Digest
    channel: Channel
    origin: Id
    boot: Number
    number: Number
    hops: Short
    again: Annotated[int, Int(4, 0, k.MAX_AGAIN)]  # how often it was sent anew because a ring was lost
    age: Annotated[int, Int(4, 0, k.MAX_AGE)]  # ms from publication until it left the last node
    load: Annotated[int, Int(4, 0, 1 << 20)]  # bytes of data


@record
class Send:
    """One PUB to be sent."""

    to: Id  # NOBODY: broadcast
    at: Position  # the own position from which it goes
    goal: Position
    ep: Position


@record
class Outcome:
    """What became of a PUB at a node."""

    deliver: Flag
    reason: Short  # why it, or part of it, went no further
    sends: Short
    send: Annotated[list[Send], Many("links")]
    stuck: Short
    left: Annotated[list[Send], Many("links")]  # parts of the ring to which no neighbour leads


@record
class Held:
    """A publication in a host's hands, or the part of one for which it is responsible; see `holding`."""

    state: Short
    reason: Short  # why it is stuck
    handle: Annotated[int, Int(8, 0, k.FOREVER)]  # of its payload; belongs to the driver
    made: Time  # when it was published, by my clock …
    since: Time  # … and when it got this slot
    due: Time  # when to try again; if it is kept: when its ring was lost
    to: Id  # of a frame: to whom it goes …
    start: Position  # … and from which of my positions; of a free slot: the next free one
    rounds: Short
    detoured: Flag
    length: Length  # of the ring on which it was last sent
    doubted: Flag  # when it was last sent, it might not have reached everybody …
    early: Flag  # … because tables were still being filled …
    sent: Flag  # … and there was a subscriber to send it to
    here: Flag  # applications on this node got it
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
    """Something for the driver to do; see `host`."""

    kind: Short
    slot: Annotated[int, Int(4, -1, 1 << 30)]
    reason: Short


@record
class Effects:
    """Not part of a host's memory: what is to be done before anything else happens."""

    count: Annotated[int, Int(4, 0, 1 << 30)]
    effect: Annotated[list[Effect], Many("effects")]


@record
class Host:
    """What a host remembers besides its tables."""

    born: Time  # when it started: anything published earlier may have been handed over before
    boot: Number  # how many times it has started
    number: Number  # of its last publication
    look_at: Time  # when to scan what it holds
    next: Annotated[int, Int(4, -1, 1 << 30)]  # the first of the free slots below …
    top: Annotated[int, Int(4, 0, 1 << 30)]  # … this one; all slots from here on are free
    used: Annotated[int, Int(4, 0, 1 << 30)]  # how many slots are in use
    turn: Annotated[int, Int(4, 0, 1 << 30)]  # the slot that has to make room next …
    seen: Annotated[int, Int(4, 0, 1 << 30)]  # … and the one to be scanned next, in the middle of a scan …
    later: Time  # … and when to scan again after that
    weight: Count  # bytes of payload held
    ring: Digest  # as last seen …
    phase: Short  # … and how far it had got
    hopes: Flag  # something that is held may go on when the table changes
    met: Flag  # it has had a neighbour
    taken: Annotated[list[Taken], Many("taken")]

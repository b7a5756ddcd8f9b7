"""What a host calls: a simulator, a process with a socket, a test.

A host owns the records.  It passes in frames with the time (`hear_hello`, `hear_sub`, `hear_pub`), asks when
to call again (`next_due`), calls `wake` then, and sends whatever these leave in the records that they were given.
"""

from . import constants as k
from . import links, ring, table, tree
from .form import rule
from .numbers import clip, due, elapsed, spread
from .positions import NONE
from .pubsub import publication, subscription
from .records import Hello, Node, Outcome, Pub, Settings, Sub

SAY_HELLO, SAY_SUB = 1, 2  # what `wake` asks the host to send


@rule
def default_settings(s: Settings) -> None:
    s.hello, s.lease, s.links, s.depth, s.frame = k.HELLO_PERIOD, 0, k.LINKS, k.DEPTH, k.FRAME
    s.id_bytes = s.position_bytes = 2
    s.system, s.custom, s.shortcuts = k.PSVR, 0, k.ALL
    s.wait = s.repeat = s.custody = k.KEEP
    s.doubt = s.detour = s.memory = s.sub_acks = 1
    s.rounds, s.reminders, s.sub_copies = k.ROUNDS, k.REMINDERS, k.SUB_COPIES
    s.write_back, s.cleans, s.bursts, s.relay_pause = k.WRITE_BACK, k.CLEANS, k.BURSTS, k.RELAY_PAUSE


@rule
def start(me: Node, id: int, now: int) -> None:
    """Make it a node that has heard nothing yet: a tree of its own.  Settings and subscriptions stay as they are."""
    me.id = id
    for i in range(len(me.link)):
        links.clear(me.link[i])
    for j in range(len(me.candidate)):
        links.forget_candidate(me.candidate[j])
    for w in range(len(me.seen)):
        publication.forget(me.seen[w])
    for r in range(len(me.relayed)):
        me.relayed[r].key = me.relayed[r].at = 0
    me.number = me.turn = me.turned_away = me.own = me.seen_next = me.bursts = 0
    me.dead_root, me.dead_seq, me.dead_at, me.overflow = k.NOBODY, 0, 0, 0
    tree.become_root(me, now)
    table.reset(me)
    ring.derive(me)
    me.hello_at = now + spread(me.id, now, 3, 0, me.settings.hello)
    me.trigger_at, me.remind_at, me.reminders, me.said_at, me.sub_at, me.clean_at = 0, 0, 0, 0, now, now


@rule
def resume_from(me: Node, beat: int) -> None:
    """After `start`: set my number as a root above that of my former life, or for a while I am taken for my dead self.

    Hosts count HELLO periods by a clock that keeps running while a node is off.
    """
    me.own = me.seq = beat


@rule
def derive(me: Node, now: int) -> None:
    """Derive everything that follows from what was heard."""
    links.tidy(me, now)
    follow(me, now)


@rule
def follow(me: Node, now: int) -> None:
    """Derive what follows from tidy links; a change that others must know is announced soon."""
    before = public_state(me)
    late = tree.derive(me, now)
    if ring.derive(me):
        subscription.on_new_ring(me, now)
    if late or public_state(me) != before:
        trigger(me, now)


@rule
def trigger(me: Node, now: int) -> None:
    """Schedule a HELLO soon, but not too soon after the last one; reminders follow if necessary."""
    me.reminders = me.settings.reminders
    soon = now + spread(me.id, now, 4, k.TRIGGER_MIN, k.TRIGGER_MAX)
    gap = k.TRIGGER_GAP - min(elapsed(now, me.said_at), k.TRIGGER_GAP)
    if me.trigger_at <= 0 or me.trigger_at > now + k.TRIGGER_GAP:
        me.trigger_at = max(soon, now + gap)


@rule
def remind(me: Node, now: int) -> None:
    """After a HELLO, schedule a check whether it was heard where it matters."""
    left = clip(me.reminders, 0, me.settings.reminders)
    me.remind_at = now + spread(me.id, now, 7, k.REMIND_MIN, k.REMIND_MAX) if left > 0 else 0
    me.reminders = max(left - 1, 0)


@rule
def public_state(me: Node) -> tuple[int, int, int, int, int, int]:
    """Return everything about tree and ring on which neighbours act."""
    return me.root, me.dist, me.parent, me.digest, me.ring, me.position[0]


@rule
def hear_hello(me: Node, now: int, hello: Hello) -> bool:
    """Record a HELLO, and derive what follows if it says anything new.

    What changes with time alone is noticed at my own next HELLO.  Return False if there is nothing new; then nothing is
    due earlier than before.
    """
    kept_me = links.sender(me, hello.src) != NONE
    i = links.hear(me, now, hello)
    if i == NONE:
        return False
    link = me.link[i]
    new = kept_me != links.two_way(link)
    new = tree.hear(me, link, hello) or new
    new = ring.hear(me, link, hello) or new
    if new:
        derive(me, now)
    elif tree.hear_newer_number(me, now, link):
        trigger(me, now)
        new = True
    return new


@rule
def hear_sub(me: Node, now: int, sub: Sub, out: Sub) -> int:
    """Hear a SUB and return a reason; if `out.channels` is not 0 afterwards, broadcast `out` to the tree neighbours."""
    return subscription.hear(me, now, sub, out)


@rule
def hear_pub(me: Node, now: int, pub: Pub, out: Outcome) -> None:
    """Hear a PUB; `out` says whether to deliver it and what to send."""
    if pub.hops < 1:
        out.deliver, out.sends, out.stuck, out.reason = 0, 0, 0, k.TOO_MANY_HOPS
    else:
        publication.handle(me, now, pub, out)


@rule
def publish(me: Node, now: int, channel: int, boot: int, number: int, load: int, pub: Pub, out: Outcome) -> None:
    """The application publishes: `pub` becomes the message, and `out` says what to send."""
    publication.start(me, channel, boot, number, load, pub)
    publication.handle(me, now, pub, out)


@rule
def subscribe(me: Node, now: int, channel: int) -> bool:
    """The application subscribes; return False if there is no room.  The first SUB is due at once."""
    if channel == k.NO_CHANNEL:
        return False
    if not table.wants(me, channel):
        i = table.free_place(me.wants, channel)
        if i == NONE:
            return False
        me.wants[i] = channel
        me.sub_at = now
    return True


@rule
def unsubscribe(me: Node, now: int, channel: int) -> None:
    """The application unsubscribes; leases do the rest, except that `shen` announces it."""
    i = table.place_in(me.wants, channel)
    if channel != k.NO_CHANNEL and i != NONE:
        me.wants[i] = k.NO_CHANNEL
        if me.settings.system == k.SHEN:
            me.sub_at = now


@rule
def sooner(now: int, when: int, at: int, longest: int) -> int:
    """Return the earlier of two deadlines; one that no rule would have set counts as now."""
    return now if due(now, at, longest) else min(when, at)


@rule
def next_due(me: Node, now: int) -> int:
    """Return when to call `wake` next."""
    when = sooner(now, k.FOREVER, me.hello_at, 2 * me.settings.hello)
    when = sooner(now, when, me.clean_at, table.lease(me))
    if me.trigger_at != 0:
        when = sooner(now, when, me.trigger_at, k.TRIGGER_GAP)
    if me.remind_at != 0:
        when = sooner(now, when, me.remind_at, k.REMIND_MAX)
    if subscription.announces(me):
        when = sooner(now, when, me.sub_at, 2 * table.lease(me))
    return when


@rule
def wake(me: Node, now: int, out: Hello) -> int:
    """Do what is due; return SAY_HELLO if `out` is to be broadcast, SAY_SUB if `write_sub` is to be asked for SUBs."""
    said = 0
    if due(now, me.hello_at, 2 * me.settings.hello):
        links.each_period(me, now)
        tree.beat(me, now)
        follow(me, now)
        early = me.settings.hello * k.JITTER_PERCENT // 100
        me.hello_at = now + me.settings.hello + spread(me.id, now, 5, -early, early)
        said = SAY_HELLO
    elif me.trigger_at != 0 and due(now, me.trigger_at, k.TRIGGER_GAP):
        derive(me, now)
        said = SAY_HELLO
    elif me.remind_at != 0 and due(now, me.remind_at, k.REMIND_MAX):
        me.remind_at = 0
        if ring.is_ahead(me):
            derive(me, now)
            said = SAY_HELLO
    if said == SAY_HELLO:
        write_hello(me, now, out)
        remind(me, now)
    if due(now, me.clean_at, table.lease(me)):
        publication.tidy(me, now)
        subscription.tidy(me, now)
        subscription.clean(me, now)
    if subscription.sub_is_due(me, now):
        subscription.after_sub(me, now)
        said |= SAY_SUB
    return said


@rule
def write_hello(me: Node, now: int, out: Hello) -> None:
    me.number = me.number + 1 if 0 <= me.number < k.SEQ_LIMIT else 0
    me.said_at, me.trigger_at = now, 0
    out.src, out.number = me.id, me.number
    tree.write(me, out)
    ring.write(me, out)
    links.write(me, out)


@rule
def write_sub(me: Node, now: int, part: int, out: Sub) -> int:
    """Write the `part`-th SUB and return the next part, 0 after the last.  One to all without channels is not sent."""
    return subscription.write(me, now, part, out)

"""Rules from files in the simulator: as settled routing says, the same in both forms, and refused in one line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.protocol import constants as k
from psvr.protocol.systems import PROVIDED, RULES, known
from psvr.routing.custom import load_systems
from psvr.routing.systems import route
from psvr.sim.custom import TAKES, settings_of
from psvr.sim.engine import engine
from psvr.sim.network import Network
from psvr.sim.scenario import parse, to_toml
from psvr.sim.summary import fingerprint
from psvr.trace import runs
from tests.support.sim.settled_runs import deliver_exactly_once, drawn, settled
from tests.support.sim.sim_running import psvr_sim, refused
from tests.support.sim.stories import story

EXAMPLES = Path(__file__).parents[3] / "examples" / "systems"
NETWORKS = 30  # per example
# Every rule is replaced, by the one that it replaces.
COPY = """
from psvr.protocol import psvr, table
from psvr.protocol.systems import custom_rule

@custom_rule("copy", like="psvr")
def forward(me, now, pub, out):
    psvr.forward(me, pub, out)

@custom_rule("copy", like="psvr")
def detour(me, now, pub, at, avoid, out):
    psvr.detour(me, pub.channel, at, pub.ep, avoid, out)

@custom_rule("copy", like="psvr")
def write_sub(me, now, part, out):
    return psvr.write_sub(me, part, out)

@custom_rule("copy", like="psvr")
def hear_sub(me, now, sub, out):
    return psvr.hear_sub(me, now, sub, out)

@custom_rule("copy", like="psvr")
def clean(me, now):
    table.clean(me, now)
"""
RULE = """
import math
import os
from psvr.protocol import constants as k
from psvr.protocol.systems import custom_rule

@custom_rule("mine", like="{like}")
def {rule}:
    {body}
"""


def load(folder: Path, text: str, file: str = "mine.py") -> Path:
    (folder / file).write_text(text)
    load_systems([folder / file])
    return folder / file


def rule(body: str, like: str = "shen", name: str = "forward") -> str:
    return RULE.format(body=body, like=like, rule=f"{name}({', '.join(RULES[name])})")


def line(system: str, n: int = 4, **tables: Any) -> Network:
    """A line whose last node subscribes, settled."""
    net = Network(parse({"topology": {"kind": "line", "n": n}, "protocol": {"system": system}, **tables}))
    net.subscribe(n - 1, "c")
    net.run(20)
    return net


def sent(net: Network, v: int = 0) -> int:
    """Messages of one publication."""
    publication = net.publish(v, "c")
    net.run(2)
    return int(net.world.publications["messages"][publication])


@pytest.mark.parametrize("system", ["tree-steps", "backbone"])
def test_exactly_once_and_as_predicted(system: str) -> None:
    load_systems(sorted(EXAMPLES.glob("*.py")))
    run: Any = engine.run
    compiled = len(run.signatures)
    for seed in range(NETWORKS):
        net, rows, subscribers = drawn(seed, system)
        where, ids = settled(net), net.world.ids
        by_event = deliver_exactly_once(net, rows, subscribers)
        for v in range(net.plan.n):
            mine = [r for r in by_event["sent"] if r["origin"] == ids[v]]
            expected = route(where, system, v, subscribers)
            assert len(mine) == expected.count, (seed, v)
            if system == "tree-steps":
                assert sorted((int(r["from_"]), int(r["to"]), int(r["ep"])) for r in mine) == sorted(expected.messages)
    assert len(run.signatures) == max(compiled, 1)  # the engine itself is not compiled again


@pytest.mark.parametrize("system", ["tree-steps", "backbone", "copy"])
def test_both_forms_are_equal_through_faults(system: str, tmp_path: Path) -> None:
    load_systems(sorted(EXAMPLES.glob("*.py")))
    load(tmp_path, COPY)
    delivered = 0
    for seed in range(3):
        twins = story(system, seed, 0.15)
        twins.compare()
        delivered += len(twins.reference.deliveries)
    assert delivered >= 20


def test_a_copy_of_all_rules_runs_like_the_original(tmp_path: Path) -> None:
    load(tmp_path, COPY)
    for seed in range(3):
        copy, original = story("copy", seed, 0.25), story("psvr", seed, 0.25)
        assert fingerprint(copy.net) == fingerprint(original.net) and copy.rows == original.rows


def test_every_rule_is_known_to_the_simulator() -> None:
    assert {name: len(takes) for name, takes in TAKES.items()} == {name: len(takes) for name, takes in RULES.items()}


def test_an_edited_rule_counts_from_the_next_network_on(tmp_path: Path) -> None:
    load(tmp_path, rule("pass"))
    before = line("mine")
    assert (sent(before), sent(line("shen"))) == (0, 3)
    load(tmp_path, "from psvr.protocol.pubsub import shen\n" + rule("shen.forward(me, now, pub, out)"))
    assert (sent(line("mine")), sent(before)) == (3, 0)
    load(tmp_path, rule("pass", like="ring"))
    assert sent(line("mine")) == 0


def test_what_cannot_be_sent_is_dropped_with_a_reason(tmp_path: Path) -> None:
    load(tmp_path, rule("for i in range(3):\n        out.send[i].to = (99, me.id + 1, me.id)[i]\n    out.sends = 1000"))
    net = line("mine")
    dropped = int(net.world.drops.sum())
    publication = net.publish(0, "c")
    # of as many sends as there is room for, those that were not written are broadcasts
    assert int(net.world.publications["messages"][publication]) == net.machine.capacity.links - 2
    assert int(net.world.drops.sum()) == dropped + 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("out.send[now % 2 + 64].to = 1", "its rules failed: IndexError: index is out of bounds"),
        ("me.row[0].entry[len(me.row) + 5000].ns = 1", "IndexError"),
        ("out.sends = 1 // (now - now)", "its rules failed: ZeroDivisionError"),
        ("raise ValueError('not now')", "its rules failed: ValueError: not now"),
        ("assert now < 0", "its rules failed: AssertionError"),
    ],
)
def test_rules_that_fail(body: str, said: str, tmp_path: Path) -> None:
    load(tmp_path, rule(body))
    with pytest.raises(BadInput) as caught:
        sent(line("mine"))
    assert str(caught.value).startswith("system mine: ") and said in str(caught.value)


def test_rules_that_send_without_end(tmp_path: Path) -> None:
    everyone = "\n    ".join(
        ["for i in range(len(me.link)):", "    out.send[i].to = me.link[i].id", "out.sends = len(me.link)"]
    )
    load(tmp_path, rule(everyone))
    net = line("mine", 8)
    net.publish(0, "c")
    with pytest.raises(BadInput, match="system mine: sent a publication more than 900 times; its rules must come to"):
        net.run(60)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("nowhere(me)", "NameError: name 'nowhere' is not defined"),
        ("me.zork = 3", "a record has no field 'zork'"),
        ("x = me + 3", "mine.py, line 9: No implementation"),
        ("x = os.getpid()", "os cannot be used; rules use numbers"),
        ("return 3", "mine.py, line 9: No conversion"),
    ],
)
def test_rules_that_cannot_be_compiled(body: str, said: str, tmp_path: Path) -> None:
    load(tmp_path, rule(body))
    with pytest.raises(BadInput) as caught:
        line("mine")
    assert str(caught.value).startswith("system mine: forward") and said in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


KEPT = """
import sys
from psvr.routing.custom import load_systems
from psvr.sim import custom
from psvr.sim.engine.world import capacity_for
load_systems([sys.argv[1]])
custom.settings_of("mine", capacity_for(8, 16))
(form,) = (form for function, form in custom.FORMS.items() if function.__name__ == "forward")
print("cached" if form.stats.cache_hits else "new")
"""


def test_compiled_rules_are_kept_and_never_stale(tmp_path: Path) -> None:
    """A digest of the file alone would miss the number that comes from outside."""
    file = tmp_path / "mine.py"
    file.write_text(
        rule("helper(out)") + "\n\nSENDS = int(os.environ['SENDS'])\n\ndef helper(out):\n    out.sends = SENDS\n"
    )

    def run(sends: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", KEPT, str(file)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SENDS": sends, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert [run("0"), run("0"), run("1")] == ["new", "cached", "new"]
    file.write_text(file.read_text().replace("= SENDS", "= SENDS + 0"))
    assert [run("1"), run("1")] == ["new", "cached"]


def test_scenarios_name_a_system_that_is_loaded(tmp_path: Path) -> None:
    mapping = {"topology": {"kind": "line", "n": 3}, "protocol": {"system": "tree-steps"}}
    with pytest.raises(BadInput, match=r'protocol.system: must be one of psvr, .*, not "tree-steps"; one of your own'):
        parse(mapping)
    load_systems(EXAMPLES / "tree_steps.py")
    scenario = parse(mapping)
    assert 'system = "tree-steps"' in to_toml(scenario) and parse(scenario.to_dict()) == scenario
    assert known() == (*k.SYSTEMS, *PROVIDED, "tree-steps") and settings_of(
        "shen", Network(scenario).machine.capacity
    ) == (3, 0)


def test_psvr_sim_with_a_file(calm: Path, tmp_path: Path) -> None:
    file = EXAMPLES / "tree_steps.py"
    figures = psvr_sim(calm, "--json", "--quiet", "--system", file, "--trace", tmp_path / "trace").json
    shen = psvr_sim(calm, "--json", "--quiet", "--system", "shen").json
    assert figures["delivered"] == figures["expected"] > 0
    assert figures["messages"] == shen["messages"] and figures["fingerprint"] != shen["fingerprint"]
    ((_, provenance),) = runs(tmp_path / "trace").items()
    assert 'system = "tree-steps"' in provenance["scenario"] and provenance["system_file"] == "tree_steps.py"
    assert len(provenance["system_digest"]) == 16
    again = psvr_sim(calm, "--json", "--quiet", "--set", "protocol.system=shen", "--system", file).json
    assert again["fingerprint"] == shen["fingerprint"]
    assert json.dumps(figures)


def test_psvr_sim_refuses(calm: Path, tmp_path: Path) -> None:
    refused(psvr_sim(calm, "--system", tmp_path / "none.py"), "none.py: No such file")
    (tmp_path / "settled.py").write_text(
        "from psvr.routing.systems import system\n"
        "@system('s', positions=False, text='')\ndef f(settled, p): return []\n"
    )
    refused(psvr_sim(calm, "--system", tmp_path / "settled.py"), "settled.py: no rules in it; without @custom_rule")
    refused(psvr_sim(calm, "--system", "td"), "protocol.system: must be one of psvr", 'not "td"')
    (tmp_path / "fails.py").write_text(rule("raise ValueError('no')"))
    refused(psvr_sim(calm, "--quiet", "--system", tmp_path / "fails.py"), "system mine: its rules failed: ValueError")

"""The page about scenarios names every key with its default, and its examples are right."""

import re
import tomllib
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from psvr.fields.tables import to_text
from psvr.files import MAX_MEGABYTES, MAX_TOML_MEGABYTES
from psvr.protocol.host.profiles import POLICIES
from psvr.sim.plan import plan
from psvr.sim.scenario import Fault, Host, Protocol, Radio, Scenario, Subscribe, Topology, Traffic, parse
from psvr.sim.scenario.radio import Interference, Mobility

PAGE = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text()
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
SECTIONS: dict[str, type] = {
    "The run": Scenario,
    "topology": Topology,
    "radio": Radio,
    "interference": Interference,
    "mobility": Mobility,
    "protocol": Protocol,
    "host": Host,
    "traffic": Traffic,
    "subscribe": Subscribe,
    "fault": Fault,
}


def documented(section: str) -> dict[str, str]:
    """The keys of a section's first table, and their defaults."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    table = text.split("| key |")[1].split("\n\n")[0]
    return dict(re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|", table, re.M))


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_and_default(section: str) -> None:
    def text(default: Any) -> str:
        return "–" if default in (None, MISSING) else to_text(default)

    keys = {f.name: text(f.default) for f in fields(SECTIONS[section]) if f.name not in SECTIONS}
    assert documented(section) == keys


def test_both_profiles_stand_there() -> None:
    section = PAGE.split("\n## host\n")[1].split("\n## ")[0]
    told = dict(re.findall(r"^\| `(\w+)` \|[^|]*\| – \| ([^|]*) \|", section, re.M))
    told["sub_acks"] = told["sub_acks"].replace(" (`ieee802154`: false)", "")
    assert told == {
        name: ", ".join(to_text(v).removesuffix(".0") for v in (policy.full, policy.paper))
        for name, policy in POLICIES.items()
    }


def test_how_large_files_may_be() -> None:
    assert re.findall(r"at most (\d+) MB, like all such files; a scenario itself at most (\d+) MB", PAGE) == [
        (str(MAX_MEGABYTES), str(MAX_TOML_MEGABYTES))
    ]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_blocks_can_be_planned(block: str) -> None:
    assert plan(parse(tomllib.loads(block))).n > 1


def test_overrides_of_the_page() -> None:
    mapping = tomllib.loads(BLOCKS[0])
    lines = re.findall(r"^    (--set .*)$", PAGE, re.M)
    assert len(lines) > 4
    for line in lines:
        overrides = [quoted or bare for quoted, bare in re.findall(r"--set (?:'([^']*)'|(\S+))", line)]
        assert parse(mapping, overrides=overrides) != parse(mapping)

"""The page about the simulator says what the simulator does: its output, its fields, its options, its figures."""

import argparse
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from psvr.cli import sim
from psvr.protocol import constants as k
from psvr.protocol.layout import dtype
from psvr.protocol.records import Node
from psvr.results.figures import window
from psvr.sim import missing, network
from psvr.sim.bound import forgotten
from psvr.sim.engine import medium, table_sizes
from psvr.sim.engine.world import capacity_for
from psvr.sim.faults import memory
from psvr.sim.footprint import LINK, PAIR, per_node
from psvr.sim.network import Network
from psvr.sim.running import run_to_end
from psvr.sim.scenario import load, parse
from psvr.sim.summary import summarize
from tests.support.sim.sim_running import psvr_sim

pytestmark = pytest.mark.usefixtures("compiled")
ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "simulator.md").read_text()
WORDS = " ".join(PAGE.split())  # wherever its lines end
LINE = parse({"topology": {"kind": "line", "n": 2}})
TIMED = re.compile(r"(events +[\d,]+ in )[\d.]+( s: )[\d,]+( per second)")  # what a machine decides


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[str]:
    """The first cells of the tables."""
    return [cell.strip() for cell in re.findall(r"^\| ([^|]*) \|", text, re.M)]


def quoted(cells: list[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`([^`]*)`", cell)}


def test_the_example_prints_what_stands_there() -> None:
    [block] = re.findall(r"```toml\n(.*?)```", section("psvr sim"), re.S)
    assert parse(tomllib.loads(block), ROOT / "examples") == load(ROOT / "examples" / "paper.toml")
    [shown] = re.findall(r"```\n\n((?:    .*\n|\n)+)\n\|", section("psvr sim"))
    printed = psvr_sim(ROOT / "examples" / "paper.toml").out
    shown = re.sub(r"^    ", "", shown, flags=re.M)
    assert TIMED.search(shown) and TIMED.sub(r"\1\2\3", shown).strip() == TIMED.sub(r"\1\2\3", printed).strip()


def test_all_options_are_there() -> None:
    parser = argparse.ArgumentParser()
    sim.add(parser)
    options = {text for action in parser._actions for text in action.option_strings if text.startswith("--")}
    listed = {name.split()[0] for name in quoted(rows(section("psvr sim")))}
    assert listed == options - {"--help"}


def figures(file: str, **tables: Any) -> dict[str, Any]:
    net = Network(parse({**load(ROOT / "examples" / file).to_dict(), **tables}))
    run_to_end(net)
    return summarize(net)


def test_all_fields_are_there() -> None:
    listed = quoted(rows(section("What the figures mean"))) - {"--json"}  # which stands above them
    assert listed == set(figures("paper.toml", duration=60.0, fault=[]))


def test_the_delivery_window() -> None:
    [(seconds, each)] = re.findall(r"\*delivery window\* \((\d+) s and (\d+) ms per node", WORDS)
    for n in (1, 50, 10_000):
        assert window(n) == int(seconds) * k.SECOND + int(each) * 1000 * n


def test_reasons_for_a_miss_are_quoted_as_they_are() -> None:
    text = section("Missed publications")
    told = (k.NODE_STOPPED, k.CROWDED, k.LINK_FAILED, k.OTHER_RING, k.NO_RING)
    for reason in (missing.UNNOTICED, missing.UNHEARD, missing.UNDER_WAY, *(k.REASONS[i] for i in told)):
        assert f"`{reason}`" in text


@pytest.mark.parametrize(
    "said, true",
    [
        (
            r"(\d+\.\d) ms for the longest, (\d+) bytes",
            (f"{medium.airtime(k.FRAME, 250_000) / 1000:.1f}", str(k.FRAME)),
        ),
        (r"\((\d+) \+ b\) · 8 bits", (str(medium.PREAMBLE),)),
        (r"takes (\d+) to (\d+) ms of work", (str(medium.MIN_REACTION // 1000), str(medium.MAX_REACTION // 1000))),
        (r"in copies, each (\d+) ms after", (str(k.SUB_COPY_GAP // 1000),)),
        (
            r"from (\d+) slots \(in large networks\) to ([\d,]+),",
            (str(table_sizes.MIN_SLOTS), f"{table_sizes.MAX_SLOTS:,}"),
        ),
        (
            r"publish in (\d+) s, or ([\d,]+), as long as those of all hosts fit into (\d+) MB\.",
            (
                str(k.REPEAT_LIFE // k.SECOND),
                f"{table_sizes.USUAL_NAMES:,}",
                str(table_sizes.USUAL_BYTES >> 20),
            ),
        ),
        (
            r"slots of all hosts take at most (\d+) MB, their names at most (\d+) MB",
            (str(table_sizes.MAX_SLOTS_BYTES >> 20), str(table_sizes.MAX_NAMES_BYTES >> 20)),
        ),
        (r"between 0 and (\d+) days", (str(memory.MAX_CLOCK // k.SECOND // 86400),)),
        (
            r"checked every (\d\.\d) s \(above ([\d,]+) nodes every n/([\d,]+) s\)",
            (
                str(network.CHECK / k.SECOND),
                f"{network.CHECK_NODES * network.CHECK // k.SECOND:,}",
                f"{network.CHECK_NODES:,}",
            ),
        ),
        (r"\| a node, with room for all of it \| ([\d,]+) \|", (f"{dtype(Node, capacity_for(8, 16)).itemsize:,}",)),
        (
            r"with C_N up to 16 a node has ([\d,]+) bytes, with 64 channels ([\d,]+)",
            tuple(f"{dtype(Node, capacity_for(*size)).itemsize:,}" for size in ((16, 16), (8, 64))),
        ),
        (r"bound is never less than (\d+) s", (f"{forgotten(1.0):.0f}",)),
        (r"about (\d+) KB for a node and (\d+) bytes for a link", (f"{per_node(LINE) / 1000:.0f}", str(LINK))),
        (r"a wireless channel (\d+) bytes for every pair", (str(PAIR),)),
    ],
)
def test_figures_of_the_page_are_those_of_the_code(said: str, true: tuple[str, ...]) -> None:
    found = re.findall(said, WORDS)
    assert [(one,) if isinstance(one, str) else one for one in found] == [true]


def test_the_largest_table_of_the_quiet_example() -> None:
    [(most, memory, packed)] = re.findall(
        r"at most (\d+) in `examples/quiet.toml` \| 8 \+ 24 k: (\d+) \| 8 \+ 12 k: (\d+) \|", WORDS
    )
    assert (int(memory), int(packed)) == (8 + 24 * int(most), 8 + 12 * int(most))
    found = figures("quiet.toml")
    assert (found["max_table_bytes"], found["max_table_bytes_packed"]) == (int(memory), int(packed))
    assert (found["entry_bytes"], found["entry_bytes_packed"]) == (24, 12)

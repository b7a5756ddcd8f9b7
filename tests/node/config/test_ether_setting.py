"""The setting `ether`."""

from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.config.config import Config, link_of, load
from psvr.node.link.ether import Ether


def test_it_can_be_set_by_variable_and_flag(tmp_path: Path) -> None:
    environment = {"PSVR_ETHER": "127.0.0.1:5000/3", "HOME": str(tmp_path)}
    assert load(None, environment, {}).ether == "127.0.0.1:5000/3"
    link = link_of(load(None, environment, {"ether": "127.0.0.1:5001/4"}), has_key=False)
    assert isinstance(link, Ether) and (link.address, link.number) == (("127.0.0.1", 5001), 4)


@pytest.mark.parametrize(
    "wrong",
    [
        "127.0.0.1:5000",
        "127.0.0.1/3",
        "127.0.0.1:5000/",
        "127.0.0.1:5000/x",
        "127.0.0.1:99999/1",
        "127.0.0.1:5000/-1",
        "127.0.0.1:5000/12345678901",
        "",
        7,
    ],
)
def test_what_is_no_place_is_refused(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^ether: must be HOST:PORT/NUMBER"):
        Config(ether=wrong, state=tmp_path)


def test_it_goes_with_no_other_link(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^ether: must not be set together"):
        Config(ether="127.0.0.1:5000/3", interface="lo", state=tmp_path)


def test_without_a_key_it_stays_on_this_machine(tmp_path: Path) -> None:
    config = Config(ether="192.0.2.1:5000/3", state=tmp_path)
    with pytest.raises(BadInput, match="without a key"):
        link_of(config, has_key=False)
    assert isinstance(link_of(config, has_key=True), Ether)

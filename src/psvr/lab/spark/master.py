"""Masters: where Spark runs, as given by `--master`, and whether it can be reached from here."""

import ipaddress
import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from psvr.errors import BadInput

FORMS = "local[N], local[*], spark://HOST:PORT, yarn or k8s://https://HOST:PORT"
CONNECT_TIMEOUT = 10.0  # seconds that a machine may take to answer
PORTS = ("spark.driver.port", "spark.driver.blockManager.port", "spark.blockManager.port", "spark.ui.port")

Kind = Literal["local", "spark", "yarn", "k8s"]


@dataclass(frozen=True)
class Master:
    """Where Spark runs."""

    text: str
    kind: Kind
    cores: int = 0  # local only
    addresses: tuple[tuple[str, int], ...] = ()  # any one of them will do

    @property
    def local(self) -> bool:
        return self.kind == "local"

    @property
    def here(self) -> bool:
        """Whether all of it is on this machine, so that nothing has to be open to others."""
        return self.local or (bool(self.addresses) and all(is_loopback(host) for host, _ in self.addresses))


def parse(text: str) -> Master:
    if found := re.fullmatch(r"local(?:\[(\*|[1-9]\d{0,3})\])?", text):
        cores = os.cpu_count() or 1 if found[1] == "*" else int(found[1] or 1)
        return Master(text, "local", cores)
    if text == "yarn":
        return Master(text, "yarn")
    if text.startswith("spark://"):
        return Master(text, "spark", addresses=tuple(address(part, text) for part in text[8:].split(",")))
    if found := re.fullmatch(r"k8s://(?:(https?)://)?(.+?)(:\d+)?/?", text):
        port = found[3] or (":80" if found[1] == "http" else ":443")
        return Master(text, "k8s", addresses=(address(found[2] + port, text),))
    raise BadInput(f"--master {text}: must be {FORMS}")


def address(text: str, master: str) -> tuple[str, int]:
    found = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]@]+):(\d{1,5})/?", text)
    if not found or not 0 < int(found[2]) < 65536:
        raise BadInput(f"--master {master}: {text!r} must be HOST:PORT, as the master printed it (often port 7077)")
    return found[1].strip("[]"), int(found[2])


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def reach(master: Master) -> str | None:
    """Return our own address as the master sees it, or None if there is no address to ask."""
    failed = []
    for host, port in master.addresses:
        try:
            with socket.create_connection((host, port), CONNECT_TIMEOUT) as connection:
                return str(connection.getsockname()[0])
        except OSError as error:
            failed.append(f"{host}:{port}: {error.strerror or 'no answer'}")
    if failed:
        raise BadInput(
            f"--master {master.text}: cannot be reached ({', '.join(failed)}); "
            "is it running, and are host and port right?"
        )
    return None


def check_ports(host: str, settings: Mapping[str, str]) -> None:
    """Refuse ports that are in use: Spark would quietly take the next one, which a firewall may block."""
    for name in PORTS:
        number = settings.get(name, "0")
        if not number.isdecimal() or int(number) > 65535:
            raise BadInput(f"--conf {name}={number}: must be a port, 0 to 65535")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, int(number)))
            except OSError as error:
                raise BadInput(
                    f"--conf {name}={number}: this port cannot be had ({error.strerror}); choose another, or 0 for any"
                ) from None


def check_surroundings(master: Master, settings: Mapping[str, str]) -> None:
    """Check what a kind of master needs besides its address."""
    if os.environ.get("SPARK_REMOTE") or os.environ.get("SPARK_CONNECT_MODE_ENABLED"):
        raise BadInput("SPARK_REMOTE is set, and the lab starts Spark itself: unset SPARK_REMOTE, and say --master")
    if master.kind == "yarn" and not (os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")):
        raise BadInput("--master yarn: HADOOP_CONF_DIR must be set to the folder of the cluster's settings")
    if master.kind == "k8s" and not any(
        name.startswith("spark.kubernetes.") and name.endswith("container.image") for name in settings
    ):
        raise BadInput("--master k8s: say --conf spark.kubernetes.container.image=IMAGE, with Spark and Python in it")

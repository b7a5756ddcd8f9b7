"""`psvr keygen`: make a network key, or change the key while the network runs.

A change takes three steps, each finished on all machines before the next begins: all accept the new key (add), all send
with it (switch), all forget the old one (drop).  Two machines that are one step apart hear each other.
"""

import argparse
from pathlib import Path

from psvr import atomic
from psvr.errors import BadInput
from psvr.node.secure.keys import key_lines, keyring, load_keys, new_key, read, shown, without_comment

STEPS = ("add", "switch", "drop")
EVERYWHERE = "copy it to every machine and have the nodes read it (SIGHUP, or a restart)"
NEXT = {
    "add": "then psvr keygen --rotate switch {file}",
    "switch": "then psvr keygen --rotate drop {file}",
    "drop": "then the old key is no longer of any use",
}


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        type=Path,
        help="write the key to this new file, which only its owner can read; otherwise print it",
    )
    parser.add_argument(
        "--rotate",
        metavar="STEP",
        help="change the keys in FILE: add (a new key, accepted from now on), switch (send with "
        "the other key), drop (the key not used for sending); after each step, copy FILE to all machines",
    )
    parser.add_argument(
        "--show",
        action="store_true",
        help="print the tags of the keys in FILE, which tell keys apart and are not secret",
    )


def run(options: argparse.Namespace) -> int:
    if options.show:
        show(options.rotate, options.file)
    elif options.rotate is not None:
        rotate(options.rotate, options.file)
    elif options.file is not None:
        make(options.file)
    else:
        print(new_key())
    return 0


def make(file: Path) -> None:
    name = shown(file)
    try:
        atomic.create(file, new_key() + "\n")
    except FileExistsError:
        raise BadInput(f"{name}: there is a file already, and keys are never overwritten") from None
    except (OSError, ValueError) as error:
        raise unwritable(name, error) from None
    print(f"{name}: {summary(file)}; copy it to every machine, readable by its owner only")


def show(step: str | None, file: Path | None) -> None:
    if step is not None:
        raise BadInput("--show and --rotate: give only one of them")
    if file is None:
        raise BadInput("FILE: missing; --show describes the keys in a file")
    print(f"{shown(file)}: {summary(file)}")


def rotate(step: str, file: Path | None) -> None:
    if step not in STEPS:
        raise BadInput(f"--rotate: must be add, switch or drop, not {shown(Path(step))}")
    if file is None:
        raise BadInput("FILE: missing; --rotate changes the keys in a file")
    name, text = shown(file), read(file)
    count = len(keyring(name, key_lines(file, text)).keys)
    if step == "add" and count == 2:
        raise BadInput(f"{name}: has two keys already; psvr keygen --rotate drop {name} drops the second")
    if step != "add" and count == 1:
        raise BadInput(f"{name}: has only one key; psvr keygen --rotate add {name} adds a new one")
    try:
        atomic.replace(file, changed(step, text), atomic.PRIVATE, keep_owner=True)
    except OSError as error:
        raise unwritable(name, error) from None
    print(f"{name}: {summary(file)}; {EVERYWHERE}, {NEXT[step].format(file=name)}")


def changed(step: str, text: str) -> str:
    """The text of the file after a step, comments first."""
    lines = text.splitlines()
    comments = [line for line in lines if not without_comment(line)]
    first, *second = (line for line in lines if without_comment(line))
    keys = {"add": [first, new_key()], "switch": [*second, first], "drop": [first]}[step]
    return "".join(f"{line}\n" for line in comments + keys)


def summary(file: Path) -> str:
    ring = load_keys(file, {})
    return ring.summary() if ring else ""


def unwritable(name: str, error: Exception) -> BadInput:
    return BadInput(f"{name}: cannot be written: {getattr(error, 'strerror', None) or 'not the name of a file'}")

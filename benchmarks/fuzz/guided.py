"""One target under atheris: `python -m benchmarks.fuzz.guided TARGET CORPUS -runs=N`, more options as for libFuzzer."""

import sys

import atheris

with atheris.instrument_imports(include=["psvr.node", "psvr.protocol"]):
    from benchmarks.fuzz.targets import TARGETS


def main(arguments: list[str]) -> None:
    target = TARGETS[arguments[1]]()

    def once(data: bytes) -> None:
        target(data)
    atheris.Setup([arguments[0], *arguments[2:]], once)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)

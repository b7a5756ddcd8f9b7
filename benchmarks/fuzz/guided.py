"""One target under atheris: `python -m benchmarks.fuzz.guided TARGET CORPUS -runs=N`, and options of libFuzzer."""

import sys

import atheris

with atheris.instrument_imports(include=["psvr.node", "psvr.protocol"]):
    from tests.support.fuzz.targets import TARGETS


def main(arguments: list[str]) -> None:
    target = TARGETS[arguments[1]]()

    def once(data: bytes) -> None:
        target(data)

    atheris.Setup([arguments[0], *arguments[2:]], once)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)

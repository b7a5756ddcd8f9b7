"""Run benchmarks by name, or all of them; one that has options takes everything after its name."""

import importlib
import pkgutil
import sys
from types import ModuleType

import benchmarks


def find_modules() -> dict[str, ModuleType]:
    names = [info.name for info in pkgutil.iter_modules(benchmarks.__path__) if not info.name.startswith("_")]
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "run")}


def main(arguments: list[str]) -> int:
    modules = find_modules()
    if arguments and hasattr(modules.get(arguments[0]), "with_options"):
        modules[arguments[0]].with_options(arguments[1:])
        return 0
    unknown = [name for name in arguments if name not in modules]
    if unknown:
        print(f"benchmarks: must be from {', '.join(modules)}, not {unknown[0]}", file=sys.stderr)
        return 2
    for name in arguments or [name for name in modules if not getattr(modules[name], "ON_REQUEST", False)]:
        modules[name].run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

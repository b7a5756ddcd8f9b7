"""Lets packages export names of their modules, and loads each module only when one of its names is used."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def exports(package: str, names: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package; `names` are by the module, below the package, that has them.

    A module that is listed as its own only name is exported itself.
    """
    home = {name: module for module, listed in names.items() for name in listed}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{home[name]}")
        value = module if home[name] == name else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names_of_package() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home})

    return get, names_of_package

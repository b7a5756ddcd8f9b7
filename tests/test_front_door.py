"""What packages export: documented, listed, loaded only when asked for."""

import importlib
import importlib.util
import inspect
import pydoc
import subprocess
import sys

import pytest

PACKAGES = ("psvr", "psvr.graphs", "psvr.lab", "psvr.routing", "psvr.sim", "psvr.trace")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there_and_says_what_it_is(package: str) -> None:
    module = importlib.import_module(package)
    assert 5 <= len(module.__all__) <= 15 and list(module.__all__) == sorted(module.__all__, key=isort)
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        value = getattr(module, name)
        assert inspect.ismodule(value) or importlib.util.find_spec(f"{package}.{name}") is None, (
            f"{name} is a module, too"
        )
        if inspect.isclass(value) or inspect.isroutine(value):
            assert inspect.getdoc(value), f"{package}.{name} has no docstring"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


def isort(name: str) -> tuple[bool, bool, str]:
    """The order in which linters want names: constants, classes, functions."""
    return not name.isupper(), not name[0].isupper(), name


def test_help_shows_what_is_exported() -> None:
    text = pydoc.plain(pydoc.render_doc("psvr.routing"))
    assert "route(" in text and "subscribers: collections.abc.Iterable[int]" in text and "class Settled" in text


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_nothing_heavy(package: str) -> None:
    code = (
        f"import sys, {package}; print(*{{'numpy', 'numba', 'pyarrow', 'pyspark', 'cryptography'}} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_names_until_0_2_still_work() -> None:
    from psvr.protocol.systems import custom_rule, own_rule
    from psvr.sim.summary import summarize, summary

    assert own_rule is custom_rule and summary is summarize

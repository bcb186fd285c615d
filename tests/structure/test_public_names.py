"""The public API: ``kubewright`` and ``kubewright.<one word>``."""

import importlib
import inspect
import pkgutil
import re
from types import FunctionType, ModuleType

import pytest

import kubewright

WORDS = sorted(
    module.name
    for module in pkgutil.iter_modules(kubewright.__path__, "kubewright.")
    if not module.name.rpartition(".")[2].startswith("_")
)
PUBLIC = ["kubewright", *WORDS]
GENERATED = "kubewright.kinds"


def natural(name: str) -> tuple[int, list[object]]:
    """Return the key by which ruff sorts ``__all__``: CONSTANTS, Classes, then the rest."""
    rank = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return rank, [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def names(module: ModuleType) -> list[str]:
    """Return the names that *module* exports; none if it does not say."""
    return list(getattr(module, "__all__", ()))


@pytest.mark.parametrize("word", PUBLIC)
def test_module_exports_are_declared_and_sorted(word: str) -> None:
    """A name that is not in ``__all__`` is not promised to anybody."""
    module = importlib.import_module(word)

    assert names(module), f"{word} has no __all__"
    assert names(module) == sorted(names(module), key=natural)
    assert len(set(names(module))) == len(names(module))


@pytest.mark.parametrize("word", PUBLIC)
def test_module_explains_itself(word: str) -> None:
    """The docstring of a module is the first page of its reference."""
    assert inspect.getdoc(importlib.import_module(word))


@pytest.mark.parametrize("word", [word for word in PUBLIC if word != GENERATED])
def test_every_exported_class_and_function_has_a_docstring_of_its_own(word: str) -> None:
    """An inherited docstring describes something else."""
    module = importlib.import_module(word)

    silent = [
        name
        for name in names(module)
        if (inspect.isclass(found := getattr(module, name)) or inspect.isroutine(found))
        and not found.__dict__.get("__doc__", found.__doc__)
    ]

    assert not silent


@pytest.mark.parametrize("word", [word for word in PUBLIC if word != GENERATED])
def test_every_public_method_has_a_docstring(word: str) -> None:
    """A method may inherit its docstring, since it keeps the promise of the one it overrides."""
    module = importlib.import_module(word)

    silent = [
        f"{name}.{member}"
        for name in names(module)
        if inspect.isclass(cls := getattr(module, name))
        for member, value in vars(cls).items()
        if not member.startswith("_")
        and isinstance(value, (property, classmethod, staticmethod, FunctionType))
        and not inspect.getdoc(getattr(cls, member))
    ]

    assert not silent

"""Names that are loaded when they are first used."""

import sys
from types import ModuleType

import pytest

from kubewright._lazy import lazy_names


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a package with one name that is not loaded yet."""
    made, part = ModuleType("lazy"), ModuleType("lazy.part")
    made.__path__ = []
    part.__dict__["Thing"] = object()
    made.__dict__["here"] = 1
    made.__getattr__, made.__dir__ = lazy_names("lazy", {"Thing": "part"})  # type: ignore[method-assign]  # as a package does it
    monkeypatch.setitem(sys.modules, "lazy", made)
    monkeypatch.setitem(sys.modules, "lazy.part", part)
    return made


def test_a_name_is_loaded_once(package: ModuleType) -> None:
    """From then on it is an attribute like any other."""
    assert "Thing" not in vars(package)

    found = package.Thing

    assert found is sys.modules["lazy.part"].__dict__["Thing"]
    assert vars(package)["Thing"] is found


def test_an_unknown_name_is_an_attribute_error(package: ModuleType) -> None:
    """hasattr() and tools rely on it."""
    with pytest.raises(AttributeError, match="module 'lazy' has no attribute 'Think'"):
        _ = package.Think


def test_all_names_are_listed(package: ModuleType) -> None:
    """Completion must offer what is not loaded yet."""
    assert {"Thing", "here"} <= set(dir(package))

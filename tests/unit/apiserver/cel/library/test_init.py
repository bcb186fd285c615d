"""All libraries together."""

from kubewright.apiserver.cel import library
from kubewright.apiserver.cel.declarations import find_overloads


def test_libraries_are_loaded_once_however_often() -> None:
    """A second load must not declare functions twice."""
    library.load()
    before = len(find_overloads("quantity") or ())

    library.load()

    assert len(find_overloads("quantity") or ()) == before > 0


def test_each_library_is_there() -> None:
    """One function of each library stands for the others."""
    names = ("lowerAscii", "sum", "sets.contains", "findAll", "quantity", "url", "cidr", "semver")

    assert [name for name in names if not find_overloads(name)] == []

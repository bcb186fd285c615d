"""All libraries together."""

from kubewright.apiserver.cel import library
from kubewright.apiserver.cel.declarations import find_overloads


def test_libraries_are_loaded_once_however_often() -> None:
    """Functions are not declared twice."""
    library.load()
    before = len(find_overloads("quantity") or ())

    library.load()

    assert len(find_overloads("quantity") or ()) == before > 0


def test_each_library_is_there() -> None:
    """By one function of each."""
    names = ("lowerAscii", "sum", "sets.contains", "findAll", "quantity", "url", "cidr", "semver")

    assert [name for name in names if not find_overloads(name)] == []

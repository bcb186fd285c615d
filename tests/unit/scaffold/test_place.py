"""Where a field is declared."""

import linecache
from pathlib import Path
from typing import Annotated

import pytest

import kubewright as kw
from kubewright.scaffold.place import place_of


class Item(kw.Model):
    name: str = ""
    in_stock: bool = False


class Priced(kw.Model):
    price: int = 0


class ShopSpec(Priced):
    size: int = 1

    items: list[Annotated[Item, "sold"]] = []
    by_name: dict[str, Item] | None = None


@kw.resource(group="a.example.com", version="v1")
class Shop(kw.Resource):
    """A shop."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)


class Outer:
    """Has a class in it."""

    class Inner(kw.Model):
        """Is not at the margin of its file."""

        depth: int = 0


def text_at(place: str) -> str:
    """Return the line that *place* names."""
    file, _, line = place.rpartition(":")
    return linecache.getline(file, int(line)).strip()


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("Shop.spec.size: wrong", "size: int = 1"),
        ("Shop.spec.price: wrong", "price: int = 0"),
        ("Shop.spec.items: wrong", 'items: list[Annotated[Item, "sold"]] = []'),
        ("Shop.spec.items.name: wrong", 'name: str = ""'),
        ("Shop.spec.items[*].inStock: wrong", "in_stock: bool = False"),
        ("Shop.spec.by_name.in_stock: wrong", "in_stock: bool = False"),
        ("Shop.spec.unknown: wrong", "spec: ShopSpec = kw.field(default_factory=ShopSpec)"),
        ("Shop: wrong", '@kw.resource(group="a.example.com", version="v1")'),
        ("Shop has no field", '@kw.resource(group="a.example.com", version="v1")'),
        ("Inner.depth: wrong", "depth: int = 0"),
    ],
)
def test_a_place_is_the_line_of_the_innermost_field(message: str, line: str) -> None:
    """Also in lists, in mappings, in bases, and by its name in YAML."""
    assert text_at(place_of(message, [Shop, Outer.Inner])) == line


def test_a_place_is_said_from_the_current_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As editors and compilers say it; in full, if it is not below that folder."""
    monkeypatch.chdir(Path(__file__).parent)
    assert place_of("Shop.spec", [Shop]).startswith("test_place.py:")

    monkeypatch.chdir(tmp_path)
    assert place_of("Shop.spec", [Shop]).startswith(f"{__file__}:")


def test_classes_without_a_file_have_no_place() -> None:
    """The message is enough for those of a prompt."""
    found: dict[str, type] = {}
    exec("import kubewright as kw\nclass Typed(kw.Model):\n    size: int = 1", found)

    assert place_of("Typed.size: wrong", [found["Typed"]]) == ""
    assert place_of("Other.size: wrong", [Shop]) == ""
    assert place_of("", []) == ""

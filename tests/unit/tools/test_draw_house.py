"""The picture of the house: drawn from the contracts, the page and the tree."""

from xml.etree import ElementTree as ET

from tools.draw_house import PICTURE, SOURCE, layers, picture, purposes, rooms

TEXT = "{http://www.w3.org/2000/svg}text"


def test_the_committed_picture_is_up_to_date() -> None:
    """An old map sends a newcomer to folders that are not there: run `make house`."""
    assert PICTURE.read_text() == picture()


def test_every_package_of_the_tree_is_in_the_picture() -> None:
    """What the map leaves out nobody finds."""
    shown = {element.text for element in ET.fromstring(picture()).iter(TEXT)}

    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}

    assert packages <= shown


def test_every_package_says_what_it_is_for() -> None:
    """A box with a name alone tells a reader nothing."""
    told = purposes()

    assert [name for names in layers() for name in names if not told.get(name)] == []


def test_the_rooms_of_a_package_are_its_folders() -> None:
    """The picture shows where to look next."""
    assert {"admission", "builtin", "registry", "wire"} <= set(rooms("apiserver"))

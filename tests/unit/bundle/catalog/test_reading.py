"""Catalogs in files."""

import json

import pytest

from kubewright.bundle.catalog.reading import catalog_text, read_catalog
from kubewright.errors import ConfigError

PACKAGE = {"schema": "olm.package", "name": "shop", "defaultChannel": "stable"}
CHANNEL = {"schema": "olm.channel", "name": "stable", "package": "shop", "entries": []}


def test_yaml_and_json_are_the_same() -> None:
    """Opm writes either, several documents behind one another."""
    written = "\n\n".join(json.dumps(one, indent=1) for one in (PACKAGE, CHANNEL))

    by_json = read_catalog({"c/a.json": written})
    by_yaml = read_catalog({"c/a.yaml": catalog_text([PACKAGE, CHANNEL]), "c/README.md": "# No"})

    assert [one.content for one in by_json.entries] == [PACKAGE, CHANNEL]
    assert [one.content for one in by_yaml.entries] == [PACKAGE, CHANNEL]
    assert [one.line() for one in by_json.entries] == [1, 7]
    assert [one.line() for one in by_yaml.entries] == [2, 6]


def test_entries_are_found_by_schema_and_package() -> None:
    """A catalog has many packages."""
    found = read_catalog({"a.yaml": catalog_text([PACKAGE, CHANNEL, {**CHANNEL, "package": "x"}])})

    assert [one.content for one in found.of("olm.package", "shop")] == [PACKAGE]
    assert [one.content for one in found.of("olm.channel", "shop")] == [CHANNEL]
    assert len(found.of("olm.channel")) == 2


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("a.json", '{"a": 1}\n{"b": ', "a.json, line 2: this is not JSON: Expecting value"),
        ("a.json", "[1]", "a.json, line 1: an entry should be an object: [1]"),
        ("a.yaml", "a: b: c", "a.yaml: this is not YAML"),
        ("a.yaml", "- 1", "a.yaml, line 1: this should be a mapping"),
    ],
)
def test_what_cannot_be_read_is_refused(path: str, text: str, message: str) -> None:
    """With the line, as far as it is known."""
    with pytest.raises(ConfigError) as caught:
        read_catalog({path: text})

    assert str(caught.value).startswith(message)

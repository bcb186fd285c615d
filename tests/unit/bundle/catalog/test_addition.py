"""Versions are added to a catalog."""

from typing import Any

import pytest

from kubewright.bundle import Bundle, read_bundle
from kubewright.bundle.catalog import (
    Addition,
    add_bundles,
    catalog_text,
    check_catalog,
    read_catalog,
)
from kubewright.errors import ConfigError
from tests.unit.bundle.sample import CSV_PATH, files


def version(number: str, replaces: str = "") -> Bundle:
    """Return the bundle of a version."""
    text = files()[CSV_PATH].replace("shop.v0.1.0", f"shop.v{number}")
    text = text.replace("version: '0.1.0'", f"version: '{number}'")
    if replaces:
        text = text.replace("\nspec:\n", f"\nspec:\n  replaces: shop.v{replaces}\n")
    return read_bundle("b", {**files(), CSV_PATH: text})


def addition(number: str, replaces: str = "") -> Addition:
    """Return a version with its image."""
    return Addition(version(number, replaces), f"example.com/shop-bundle:v{number}")


def edges(entries: list[dict[str, Any]]) -> dict[str, str]:
    """Return what each version of the first channel replaces."""
    channel = next(one for one in entries if one["schema"] == "olm.channel")
    return {one["name"]: one.get("replaces", "") for one in channel["entries"]}


def test_a_new_catalog_is_sound() -> None:
    """A package, a channel, and the versions."""
    made = add_bundles([], [addition("0.2.0", "0.1.0"), addition("0.1.0")])

    assert [(one["schema"], one["name"]) for one in made] == [
        ("olm.package", "shop"),
        ("olm.channel", "stable"),
        ("olm.bundle", "shop.v0.1.0"),
        ("olm.bundle", "shop.v0.2.0"),
    ]
    assert made[0]["defaultChannel"] == "stable"
    assert list(check_catalog(read_catalog({"c.yaml": catalog_text(made)}))) == []


def test_a_version_is_added_to_what_is_there() -> None:
    """Entries that are not ours stay."""
    other = {"schema": "olm.deprecations", "package": "shop", "entries": []}
    first = add_bundles([other], [addition("0.1.0")])

    made = add_bundles(first, [addition("0.2.0", "0.1.0")])

    assert edges(made) == {"shop.v0.1.0": "", "shop.v0.2.0": "shop.v0.1.0"}
    assert other in made
    assert add_bundles(made, [addition("0.2.0", "0.1.0")]) == made


def test_versions_can_follow_one_another_by_number() -> None:
    """Then nobody has to say what replaces what."""
    made = add_bundles(
        [], [addition("0.10.0"), addition("0.2.0"), addition("0.1.0")], by_version=True
    )

    assert edges(made) == {
        "shop.v0.1.0": "",
        "shop.v0.2.0": "shop.v0.1.0",
        "shop.v0.10.0": "shop.v0.2.0",
    }


def test_the_package_is_described_by_its_newest_version() -> None:
    """With the icon, if there is one."""
    icon = "\nspec:\n  icon: [{base64data: aGk=, mediatype: image/png}]\n"
    text = files()[CSV_PATH].replace("\nspec:\n", icon)
    shown = Addition(read_bundle("b", {**files(), CSV_PATH: text}), "example.com/a:1")

    [package, *_] = add_bundles([], [shown])

    assert package["description"] == "Sells."
    assert package["icon"] == {"base64data": "aGk=", "mediatype": "image/png"}


def test_half_a_bundle_is_refused() -> None:
    """It has no channel to be in."""
    with pytest.raises(
        ConfigError, match="is not a whole bundle: run `kubewright bundle validate b`"
    ):
        add_bundles([], [Addition(read_bundle("b", {}), "example.com/a:1")])

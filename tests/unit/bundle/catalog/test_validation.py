"""A catalog that can be served."""

from copy import deepcopy
from typing import Any

import pytest

from kubewright.bundle.catalog import catalog_text, check_catalog, read_catalog

PACKAGE = {"schema": "olm.package", "name": "shop", "defaultChannel": "stable"}
CHANNEL: dict[str, Any] = {
    "schema": "olm.channel", "name": "stable", "package": "shop", "entries": [{"name": "shop.v1"}],
}  # fmt: skip
IDENTITY = {"type": "olm.package", "value": {"packageName": "shop", "version": "1.0.0"}}
BUNDLE: dict[str, Any] = {
    "schema": "olm.bundle", "name": "shop.v1", "package": "shop", "image": "example.com/b:1",
    "properties": [IDENTITY],
}  # fmt: skip
SOUND = [PACKAGE, CHANNEL, BUNDLE]


def said(entries: list[dict[str, Any]]) -> list[str]:
    """Return what is wrong with a catalog."""
    return [str(one) for one in check_catalog(read_catalog({"c.yaml": catalog_text(entries)}))]


def test_a_sound_catalog_passes() -> None:
    """With entries of schemas that nobody here knows, too."""
    assert said([*SOUND, {"schema": "olm.other", "x": 1}]) == []


@pytest.mark.parametrize(
    ("entry", "changes", "message"),
    [
        (
            0,
            {"defaultChannel": "fast"},
            "line 2: there is no channel 'fast' of shop. There are stable",
        ),
        (0, {"defaultChannel": ""}, "the package shop needs a defaultChannel: stable"),
        (0, {"icon": {"mediatype": "image/png"}}, "an icon needs both base64data and mediatype"),
        (0, {"schema": ""}, "line 2: an entry of a catalog needs `schema:`, such as olm.bundle"),
        (0, {"name": ""}, "an entry olm.package needs a name"),
        (1, {"package": "other"}, "there is no olm.package 'other'. There are: shop"),
        (1, {"package": None}, "an entry olm.channel needs `package:`"),
        (1, {"entries": [{"name": "shop.v2"}]}, "there is no olm.bundle shop.v2 of shop"),
        (1, {"entries": [{}]}, "an entry of a channel needs a name"),
        (2, {"image": ""}, "the bundle shop.v1 has no image"),
        (2, {"name": "shop.v3"}, "the bundle shop.v3 is in no channel of shop"),
        (2, {"properties": []}, "needs exactly one property olm.package, and has 0"),
        (
            2,
            {"properties": [IDENTITY, IDENTITY]},
            "needs exactly one property olm.package, and has 2",
        ),
        (
            2,
            {"properties": [IDENTITY, {"type": "x"}]},
            "a property needs both `type:` and `value:`",
        ),
        (
            2,
            {"properties": [IDENTITY, {"type": "olm.gvk", "value": {"kind": "A"}}]},
            "this property needs group, version in its value",
        ),
        (
            2,
            {
                "properties": [
                    {"type": "olm.package", "value": {"packageName": "x", "version": "1.0.0"}}
                ]
            },
            "the property says package 'x', and the bundle another",
        ),
        (
            2,
            {
                "properties": [
                    {"type": "olm.package", "value": {"packageName": "shop", "version": 1}}
                ]
            },
            "1 is not a version like 1.2.3",
        ),
    ],
)
def test_a_mistake_is_found(entry: int, changes: dict[str, Any], message: str) -> None:
    """A catalog that is not sound is not served at all, with all its packages."""
    entries = deepcopy(SOUND)
    entries[entry] |= changes

    assert any(message in one for one in said(entries))


def test_names_and_versions_are_unique() -> None:
    """Which of two would be installed?"""
    other = {**BUNDLE, "name": "shop.v2"}
    channel = {
        **CHANNEL,
        "entries": [{"name": "shop.v1"}, {"name": "shop.v2", "replaces": "shop.v1"}],
    }

    assert said([*SOUND, BUNDLE])[0].endswith("olm.bundle shop.v1 is in c.yaml, line 12, too")
    assert "shop.v1 has the version 1.0.0, too" in said([PACKAGE, channel, BUNDLE, other])[0]


def test_a_package_has_a_channel() -> None:
    """There is nothing to subscribe to otherwise."""
    assert said([PACKAGE])[0].endswith("the package shop has no channels")

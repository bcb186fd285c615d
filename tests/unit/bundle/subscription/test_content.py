"""A catalog with one version."""

import base64
import json

import pytest

from kubewright.bundle.catalog import check_catalog, read_catalog
from kubewright.bundle.collection import Object
from kubewright.bundle.subscription.content import CHANNEL_NAME, catalog_of, parts_of
from kubewright.errors import ConfigError
from tests.unit.bundle.sample import bundle


def entries(image: str = "", replaces: str = "") -> list[Object]:
    """Return the catalog of the sample."""
    found = bundle()
    assert found.csv is not None
    return catalog_of(found, found.csv, image=image, replaces=replaces)


def test_a_folder_is_in_the_catalog_itself() -> None:
    """So nobody needs a registry, and OLM has nothing to unpack."""
    *_, version = entries()

    held = [one["value"]["data"] for one in version["properties"] if "object" in one["type"]]
    kinds = {json.loads(base64.b64decode(one))["kind"] for one in held}
    assert "image" not in version
    assert kinds >= {"ClusterServiceVersion", "CustomResourceDefinition"}
    assert "olm.csv.metadata" not in [one["type"] for one in version["properties"]]


def test_an_image_is_named() -> None:
    """OLM unpacks it."""
    *_, version = entries("example.com/shop-bundle@sha256:abc")

    assert version["image"] == "example.com/shop-bundle@sha256:abc"
    assert "olm.bundle.object" not in [one["type"] for one in version["properties"]]


def test_the_catalog_is_valid() -> None:
    """As opm would find it: with an image, which our own check asks for."""
    found = read_catalog({"c.json": "".join(parts_of(entries("example.com/b:v1")))})

    assert list(check_catalog(found)) == []


def test_the_channel_leads_on_from_what_is_installed() -> None:
    """Whatever the version itself skips: that is not in this catalog."""
    [first] = entries()[1]["entries"]
    [next_one] = entries(replaces="shop.v0.0.9")[1]["entries"]

    assert first == {"name": "shop.v0.1.0"}
    assert next_one == {"name": "shop.v0.1.0", "replaces": "shop.v0.0.9"}
    assert entries()[0]["defaultChannel"] == CHANNEL_NAME


def test_parts_hold_whole_entries() -> None:
    """Each is a file of its own."""
    found = entries()
    largest = max(len(parts_of([one])[0]) for one in found)

    parts = parts_of(found, limit=largest)

    assert [json.loads(line) for part in parts for line in part.splitlines()] == found
    assert len(parts) == 2
    assert all(len(part) <= largest for part in parts)


def test_what_does_not_fit_is_told() -> None:
    """With the way that takes any size."""
    with pytest.raises(ConfigError, match=r"shop.v0.1.0 takes .* Push the bundle as an image"):
        parts_of(entries(), limit=1000)

"""What a console shows of a kind."""

import pytest

from kubewright.bundle.descriptors import owned_definitions, title_of
from tests.unit.bundle.sample import one, put

UI = "urn:alm:descriptor:com.tectonic.ui"


def test_they_are_read_from_the_schema() -> None:
    """Nobody has to write them twice."""
    [found] = owned_definitions([one("CustomResourceDefinition")])

    assert (found["displayName"], found["description"]) == ("Shop", "A shop.")
    assert found["specDescriptors"] == [
        {"path": "size", "displayName": "Size", "description": "How many.",
         "x-descriptors": [f"{UI}:podCount"]},
        {"path": "openOnSunday", "displayName": "Open on Sunday",
         "x-descriptors": [f"{UI}:booleanSwitch"]},
        {"path": "colour", "displayName": "Colour"},
    ]  # fmt: skip
    assert found["statusDescriptors"] == [
        {"path": "size", "displayName": "Size", "x-descriptors": [f"{UI}:number"]}
    ]


def test_what_people_have_written_stays() -> None:
    """A catalog is edited by hand, and generated again with each version."""
    mine = {
        "name": "shops.example.com", "version": "v1", "kind": "Shop", "displayName": "Corner shop",
        "resources": [{"kind": "Pod", "name": "", "version": "v1"}],
        "specDescriptors": [
            {"path": "colour", "displayName": "Paint", "x-descriptors": ["urn:mine"]},
            {"path": "size.deep", "displayName": "Deep"},
            {"path": "gone", "displayName": "Gone"},
        ],
    }  # fmt: skip
    made = {("example.com", "Shop"): [{"kind": "Service", "name": "", "version": "v1"}]}

    [found] = owned_definitions([one("CustomResourceDefinition")], [mine], made)

    assert found["displayName"] == "Corner shop"
    assert [each["kind"] for each in found["resources"]] == ["Pod", "Service"]
    assert [each["path"] for each in found["specDescriptors"]] == [
        "colour", "size.deep", "size", "openOnSunday",
    ]  # fmt: skip
    assert found["specDescriptors"][0] == mine["specDescriptors"][0]
    assert owned_definitions([one("CustomResourceDefinition")], [found], made) == [found]


def test_every_version_that_is_served_is_listed() -> None:
    """A console asks for any of them."""
    crd = one("CustomResourceDefinition")
    first = crd["spec"]["versions"][0]
    versions = [first, {**first, "name": "v2"}, {**first, "name": "v0", "served": False}]

    found = owned_definitions([put(crd, ("spec", "versions"), versions)])

    assert [each["version"] for each in found] == ["v1", "v2"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "array"}, "urn:alm:descriptor:io.kubernetes.conditions"),
        (
            {"type": "object", "properties": {"limits": {}, "requests": {}}},
            f"{UI}:resourceRequirements",
        ),
        ({"type": "string"}, f"{UI}:text"),
    ],
)
def test_some_fields_are_shown_in_their_own_way(schema: dict[str, object], expected: str) -> None:
    """Conditions are a table, and limits are four boxes."""
    crd = one("CustomResourceDefinition")
    where = ("spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "status")
    fields = {"type": "object", "properties": {"conditions": schema}}

    [found] = owned_definitions([put(crd, where, fields)])

    assert found["statusDescriptors"][0]["x-descriptors"] == [expected]


def test_a_word_without_letters_stays() -> None:
    """There is nothing to write in capitals."""
    assert title_of("_") == "_"

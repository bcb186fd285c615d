"""Names are accepted, and definitions established."""

from typing import Any

import pytest

from kubewright.apiserver.customresource.status import (
    FINALIZER,
    add_stored_version,
    begin_deletion,
    find_condition,
    settle,
)
from tests.unit.apiserver.customresource.samples import NOW, crd_of, established, version_of

Json = dict[str, Any]


def test_free_names_establish_a_definition_at_once() -> None:
    """Tools wait for these conditions."""
    crd = crd_of()

    assert settle(crd, [], now=NOW)

    assert crd["status"]["acceptedNames"] == crd["spec"]["names"]
    assert crd["status"]["conditions"] == [
        {
            "type": "NamesAccepted",
            "lastTransitionTime": NOW,
            "status": "True",
            "reason": "NoConflicts",
            "message": "no conflicts found",
        },
        {
            "type": "Established",
            "lastTransitionTime": NOW,
            "status": "True",
            "reason": "InitialNamesAccepted",
            "message": "the initial names have been accepted",
        },
    ]
    assert not settle(crd, [], now="2027-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("names", "reason", "message", "accepted"),
    [
        (
            {"kind": "Foo", "listKind": "BarList", "singular": "bar"},
            "KindConflict",
            '"Foo" is already in use',
            {"plural": "bars", "kind": "", "listKind": "BarList", "singular": "bar"},
        ),
        (
            {"kind": "Bar", "listKind": "BarList", "singular": "bar", "shortNames": ["f", "foos"]},
            "ShortNamesConflict",
            '["f" is already in use, "foos" is already in use]',
            {"plural": "bars", "kind": "Bar", "listKind": "BarList", "singular": "bar"},
        ),
    ],
)
def test_taken_names_are_not_accepted(
    names: Json, reason: str, message: str, accepted: Json
) -> None:
    """The definition keeps what it got, and is not served."""
    first = established(crd_of(names={"plural": "foos", "kind": "Foo", "shortNames": ["f"]}))
    second = crd_of(names={"plural": "bars", **names})
    second["metadata"]["name"] = "bars.example.com"

    settle(second, [first], now=NOW)

    condition = find_condition(second, "NamesAccepted")
    assert condition is not None
    assert (condition["status"], condition["reason"], condition["message"]) == (
        "False",
        reason,
        message,
    )
    assert second["status"]["acceptedNames"] == accepted
    assert (find_condition(second, "Established") or {})["reason"] == "NotAccepted"


def test_other_groups_do_not_matter() -> None:
    """A kind is known by its group."""
    first = established(crd_of())
    second = crd_of(group="other.com")
    second["metadata"]["name"] = "foos.other.com"

    settle(second, [first], now=NOW)

    assert (find_condition(second, "Established") or {})["status"] == "True"


def test_an_established_definition_stays_so_when_a_new_name_is_taken() -> None:
    """Its objects must stay reachable."""
    first = established(crd_of())
    second = crd_of(names={"plural": "bars", "kind": "Bar"})
    second["metadata"]["name"] = "bars.example.com"
    settle(second, [first], now=NOW)
    second["spec"]["names"]["shortNames"] = ["foos"]

    settle(second, [first], now=NOW)

    assert (find_condition(second, "Established") or {})["status"] == "True"
    assert (find_condition(second, "NamesAccepted") or {})["reason"] == "ShortNamesConflict"


def test_storage_versions_are_remembered() -> None:
    """Objects may still be stored in the former ones."""
    crd = crd_of()
    crd["spec"]["versions"] = [version_of("v2") | {"storage": True}]

    add_stored_version(crd)
    add_stored_version(crd)

    assert crd["status"]["storedVersions"] == ["v1", "v2"]


def test_a_deleted_definition_waits_for_its_objects() -> None:
    """The Terminating condition tells clients what it waits for."""
    crd = established(crd_of())

    begin_deletion(crd, now=NOW)
    begin_deletion(crd, now=NOW)

    assert crd["metadata"]["finalizers"] == [FINALIZER]
    assert (find_condition(crd, "Terminating") or {})["reason"] == "InstanceDeletionInProgress"

from copy import deepcopy
from typing import Any

from kubewright.application.diagnosis.definitions import judge, judge_state
from tests.unit.application.diagnosis.ward import told

SPEC: dict[str, Any] = {
    "group": "example.com",
    "scope": "Namespaced",
    "names": {"kind": "Shop", "plural": "shops"},
    "versions": [
        {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {
                "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": {
                            "type": "object",
                            "properties": {
                                "a": {"type": "string", "description": "An a."},
                                "b": {"type": "integer", "maximum": 5},
                            },
                        }
                    },
                }
            },
        }
    ],
}
SUBJECT = "crd/shops.example.com"
OURS: dict[str, Any] = {"metadata": {"name": "shops.example.com"}, "spec": SPEC}


def changed(spec: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a copy, and the schema of its ``spec``."""
    copy = deepcopy(spec)
    schema = copy["versions"][0]["schema"]["openAPIV3Schema"]
    found: dict[str, Any] = schema["properties"]["spec"]
    return copy, found


def served(spec: dict[str, Any] = SPEC, *stored: str, **conditions: str) -> dict[str, Any]:
    """Return a CRD as the server has it."""
    states = {"NamesAccepted": "True", "Established": "True"} | conditions
    found = [{"type": key, "status": value, "message": f"{key}!"} for key, value in states.items()]
    status = {"conditions": found, "storedVersions": list(stored or ("v1",))}
    return {**OURS, "spec": spec, "status": status}


def test_one_that_is_as_declared_is_fine() -> None:
    """There is nothing to say."""
    assert list(judge(OURS, served(), install="install")) == []


def test_a_missing_one_names_the_kind_and_the_command() -> None:
    """People think of the kind, not of its plural."""
    (found,) = judge(OURS, None, install="kubewright install")

    assert told([found]) == [("error", SUBJECT)]
    assert "for Shop" in found.what
    assert found.mend == ("kubewright install",)


def test_a_schema_that_loses_fields_is_worse_than_one_that_checks_otherwise() -> None:
    """Data is gone in one case, and refused in the other."""
    losing, part = changed(SPEC)
    del part["properties"]["a"]
    other, part = changed(SPEC)
    part["properties"]["b"]["maximum"] = 9

    (lost,) = judge(OURS, served(losing), install="")
    (checked,) = judge(OURS, served(other), install="")

    assert told([lost, checked]) == [("error", SUBJECT), ("warning", SUBJECT)]
    assert lost.what.endswith("\n  v1 .spec.a: the cluster does not have it")
    assert "\n  v1 .spec.b: if you install that, " in checked.what


def test_of_many_differences_some_are_shown() -> None:
    """A report of a thousand lines is not read."""
    theirs, part = changed(SPEC)
    part["properties"] |= {f"f{n}": {"type": "string"} for n in range(20)}

    (found,) = judge(OURS, served(theirs), install="")

    assert found.what.splitlines()[-1] == "  and 15 more"


def test_old_descriptions_are_a_hint() -> None:
    """They are wrong in `kubectl explain` only."""
    theirs, part = changed(SPEC)
    part["properties"]["a"]["description"] = "Another a."

    assert told(list(judge(OURS, served(theirs), install=""))) == [("info", SUBJECT)]


def test_a_stored_version_that_the_classes_do_not_know_is_migrated() -> None:
    """The difference in versions is the same fault, and is not told twice."""
    theirs, _ = changed(SPEC)
    theirs["versions"].append({"name": "v1alpha1", "served": True, "storage": False})

    (found,) = judge(OURS, served(theirs, "v1alpha1", "v1"), install="")

    assert told([found]) == [("warning", SUBJECT)]
    assert found.mend == ("kubewright migrate-storage shops.example.com",)


def test_a_version_that_is_not_the_storage_version_any_more_is_a_hint() -> None:
    """It does no harm yet."""
    theirs, _ = changed(SPEC)
    theirs["versions"][0]["storage"] = False
    theirs["versions"].append({"name": "v2", "storage": True})

    found = list(judge({**OURS, "spec": theirs}, served(theirs, "v1", "v2"), install=""))

    assert told(found) == [("info", SUBJECT)]


def test_one_that_is_being_deleted_says_what_it_waits_for() -> None:
    """Its objects go with it, and nothing can stop that."""
    crd = served(Terminating="True")
    crd["metadata"] = {**crd["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}

    (found,) = judge_state(crd)

    assert told([found]) == [("error", SUBJECT)]
    assert "Terminating!" in found.what


def test_names_that_another_crd_has_are_told() -> None:
    """The CRD is there, and nothing can be created."""
    (found,) = judge_state(served(NamesAccepted="False", Established="False"))

    assert "NamesAccepted!" in found.what
    assert "Another CRD has them" in found.why


def test_one_that_is_not_established_is_told() -> None:
    """For whatever reason."""
    (found,) = judge_state(served(Established="False", NonStructuralSchema="True"))

    assert "NonStructuralSchema!" in found.what

"""Deletion and dependents: in the background, in the foreground, or as orphans."""

import time
from typing import Any

import pytest

from tests.conformance.bodies import config_map
from tests.conformance.wire import Reply, Wire

pytestmark = pytest.mark.controllers
PATIENCE = 40  # a real controller looks at dependents only after it has synced all kinds


def dependent(name: str, *owners: dict[str, Any], blocks: bool = False) -> dict[str, Any]:
    """Return a ConfigMap that *owners* own."""
    body = config_map(name)
    body["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            **({"blockOwnerDeletion": True} if blocks else {}),
        }
        for owner in owners
    ]
    return body


def wait(api: Wire, path: str, status: int = 404) -> Reply:
    """Ask until *path* answers with *status*."""
    deadline = time.monotonic() + PATIENCE
    while (reply := api.get(path)).status != status:
        assert time.monotonic() < deadline, reply.text
        time.sleep(0.1)
    return reply


def make(api: Wire, configmaps: str, body: dict[str, Any]) -> dict[str, Any]:
    """Create a ConfigMap."""
    made: dict[str, Any] = api.post(configmaps, body).ok(201)
    return made


@pytest.mark.parametrize("policy", [None, "Background"])
def test_dependents_go_after_their_owner(api: Wire, configmaps: str, policy: str | None) -> None:
    """The owner is gone at once, the rest follows."""
    owner = make(api, configmaps, config_map("owner"))
    make(api, configmaps, dependent("child", owner))

    api.delete(f"{configmaps}/owner", {"propagationPolicy": policy} if policy else None).ok(200)

    api.get(f"{configmaps}/owner").refused(404)
    wait(api, f"{configmaps}/child")


def test_grandchildren_go_too(api: Wire, configmaps: str) -> None:
    """Each deletion is the cause of the next."""
    owner = make(api, configmaps, config_map("owner"))
    child = make(api, configmaps, dependent("child", owner))
    make(api, configmaps, dependent("grandchild", child))

    api.delete(f"{configmaps}/owner").ok(200)

    wait(api, f"{configmaps}/grandchild")


def test_a_dependent_of_two_stays_with_the_other(api: Wire, configmaps: str) -> None:
    """And forgets the one that went."""
    one = make(api, configmaps, config_map("one"))
    two = make(api, configmaps, config_map("two"))
    make(api, configmaps, dependent("child", one, two))

    api.delete(f"{configmaps}/one").ok(200)

    deadline = time.monotonic() + PATIENCE
    while True:
        references = api.get(f"{configmaps}/child").ok()["metadata"]["ownerReferences"]
        if [one["name"] for one in references] == ["two"]:
            break
        assert time.monotonic() < deadline, references
        time.sleep(0.1)


def test_in_the_foreground_the_owner_waits(api: Wire, configmaps: str) -> None:
    """For the dependents that block it; a finalizer holds it meanwhile."""
    owner = make(api, configmaps, config_map("owner"))
    body = dependent("child", owner, blocks=True)
    body["metadata"]["finalizers"] = ["example.com/hold"]
    make(api, configmaps, body)

    deleted = api.delete(f"{configmaps}/owner", {"propagationPolicy": "Foreground"}).ok(200)
    deadline = time.monotonic() + PATIENCE
    while "deletionTimestamp" not in api.get(f"{configmaps}/child").ok()["metadata"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    still = api.get(f"{configmaps}/owner").ok()["metadata"]
    api.patch(f"{configmaps}/child", {"metadata": {"finalizers": None}}).ok()

    assert deleted["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert deleted["metadata"]["deletionTimestamp"]
    assert still["finalizers"] == ["foregroundDeletion"]
    wait(api, f"{configmaps}/owner")


def test_orphans_stay_and_forget_their_owner(api: Wire, configmaps: str) -> None:
    """``kubectl delete --cascade=orphan``."""
    owner = make(api, configmaps, config_map("owner"))
    make(api, configmaps, dependent("child", owner))

    deleted = api.delete(f"{configmaps}/owner", {"propagationPolicy": "Orphan"}).ok(200)
    wait(api, f"{configmaps}/owner")

    assert deleted["metadata"]["finalizers"] == ["orphan"]
    assert "ownerReferences" not in api.get(f"{configmaps}/child").ok()["metadata"]


def test_the_old_option_orphans_as_well(api: Wire, configmaps: str) -> None:
    """OrphanDependents is deprecated and served."""
    owner = make(api, configmaps, config_map("owner"))
    make(api, configmaps, dependent("child", owner))

    api.delete(f"{configmaps}/owner", {"orphanDependents": True}).ok(200)
    wait(api, f"{configmaps}/owner")

    assert "ownerReferences" not in api.get(f"{configmaps}/child").ok()["metadata"]


def test_a_dependent_of_what_never_was_is_collected(api: Wire, configmaps: str) -> None:
    """The uid decides: an owner of the same name is not the owner."""
    owner = make(api, configmaps, config_map("owner"))
    owner["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"

    make(api, configmaps, dependent("child", owner))

    wait(api, f"{configmaps}/child")
    api.get(f"{configmaps}/owner").ok()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"propagationPolicy": "Foreground", "orphanDependents": True},
            "orphanDependents and deletionPropagation cannot be both set",
        ),
        ({"propagationPolicy": "Sideways"}, "propagationPolicy"),
    ],
)
def test_wrong_options_are_refused(
    api: Wire, configmaps: str, options: dict[str, Any], said: str
) -> None:
    """And nothing is deleted."""
    make(api, configmaps, config_map("a"))

    status = api.delete(f"{configmaps}/a", options).refused(422, "Invalid")

    assert said in status["message"]
    api.get(f"{configmaps}/a").ok()

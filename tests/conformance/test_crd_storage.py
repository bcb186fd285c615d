"""The version in which custom resources are stored, and how a write that changes nothing moves it.

What is in the store cannot be seen from outside, but a write to it can: it has a new
resourceVersion.
"""

from typing import Any

import pytest

from tests.conformance.crds import CRDS, Installed, Installer, object_of, version, wait_until
from tests.conformance.wire import Wire

pytestmark = pytest.mark.crd
TEXT = {"type": "string"}
SCHEMA = object_of(text=TEXT)
PROBE = "probe"


def revision(reply: dict[str, Any]) -> str:
    """Return the resourceVersion of an object."""
    return str(reply["metadata"]["resourceVersion"])


def store_in(api: Wire, widgets: Installed, name: str) -> None:
    """Make *name* the storage version, and return when the server stores in it.

    A server hears of the change a moment after it has answered; then, the next write of an object
    that is stored in the old version is a change.
    """
    before = revision(widgets.create(PROBE, spec={"text": PROBE}).ok(201))
    found = widgets.definition()
    for one in found["spec"]["versions"]:
        one["storage"] = one["name"] == name
    api.put(f"{CRDS}/{widgets.name}", found).ok()

    def is_moved(_: object) -> bool:
        reply = api.patch(widgets.path(PROBE), {})
        # New servers answer 429 while they open their storage anew.
        return reply.status != 429 and revision(reply.ok()) != before

    wait_until(api, widgets.path(PROBE), is_moved)


@pytest.fixture
def widgets(install: Installer) -> Installed:
    """A kind of two versions without conversion, stored as v1."""
    return install(version("v1", schema=SCHEMA), version("v2", schema=SCHEMA, storage=False))


@pytest.mark.parametrize("asked", ["v1", "v2"])
@pytest.mark.parametrize("way", ["put", "patch"])
def test_a_write_that_changes_nothing_stores_an_old_object_anew(
    api: Wire, widgets: Installed, way: str, asked: str
) -> None:
    """Once, whichever version it is written in; then the bytes are right, and nothing is written.

    Every storage migration rests on this.
    """
    made = widgets.create("a", spec={"text": "x"}).ok(201)
    path = widgets.path("a", version=asked)
    store_in(api, widgets, "v2")

    def write() -> dict[str, Any]:
        answer = api.put(path, api.get(path).ok()) if way == "put" else api.patch(path, {})
        written: dict[str, Any] = answer.ok()
        return written

    first = write()
    second = write()

    assert revision(first) != revision(made)
    assert revision(second) == revision(first)
    assert first["spec"] == second["spec"] == {"text": "x"}
    assert first["metadata"]["generation"] == made["metadata"]["generation"]


def test_a_write_that_changes_nothing_leaves_an_object_of_the_stored_version(
    api: Wire, widgets: Installed
) -> None:
    """Watchers would be told of a change that is none."""
    made = widgets.create("a", spec={"text": "x"}).ok(201)

    written = [api.patch(widgets.path("a", version=name), {}).ok() for name in ("v1", "v2")]
    replaced = api.put(widgets.path("a"), made).ok()

    assert {revision(one) for one in (*written, replaced)} == {revision(made)}


def test_a_read_does_not_store_anew(api: Wire, widgets: Installed) -> None:
    """Otherwise a migration would not be needed; and reads would be writes."""
    made = widgets.create("a", spec={"text": "x"}).ok(201)
    store_in(api, widgets, "v2")

    read = [api.get(widgets.path("a", version=name)).ok() for name in ("v1", "v2")]

    assert {revision(one) for one in read} == {revision(made)}


def test_stored_versions_can_be_trimmed_to_the_storage_version(
    api: Wire, widgets: Installed
) -> None:
    """By whoever has written all objects anew; only then can the old version leave the CRD."""
    store_in(api, widgets, "v2")
    status = f"{CRDS}/{widgets.name}/status"
    now = revision(widgets.definition())

    late = api.patch(
        status, {"metadata": {"resourceVersion": "1"}, "status": {"storedVersions": ["v2"]}}
    )
    trimmed = api.patch(
        status, {"metadata": {"resourceVersion": now}, "status": {"storedVersions": ["v2"]}}
    )

    late.refused(409, "Conflict")
    assert trimmed.ok()["status"]["storedVersions"] == ["v2"]

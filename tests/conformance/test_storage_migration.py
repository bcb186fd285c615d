"""`kubewright.application.migrate_storage` against servers that really store."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kubewright.application import migrate_storage
from kubewright.client import Client
from tests.conformance.crds import CRDS, Installed, Installer, object_of, version, wait_for_status
from tests.conformance.wire import Wire

pytestmark = pytest.mark.crd
SCHEMA = object_of(text={"type": "string"})
NAMES = [f"w{number}" for number in range(7)]


@pytest.fixture
def widgets(api: Wire, install: Installer) -> Installed:
    """Objects that are stored in v1, of a kind whose storage version is v2 since a moment ago."""
    made = install(version("v1", schema=SCHEMA), version("v2", schema=SCHEMA, storage=False))
    for name in NAMES:
        made.create(name, spec={"text": name}).ok(201)
    found = made.definition()
    for one in found["spec"]["versions"]:
        one["storage"] = one["name"] == "v2"
    api.put(f"{CRDS}/{made.name}", found).ok()
    return made


def revisions(widgets: Installed) -> dict[str, str]:
    """Return the resourceVersion of each object.

    Just after a change of the CRD, new servers answer 429 while they open their storage anew.
    """
    items: list[dict[str, Any]] = wait_for_status(widgets.api, widgets.path(), 200).ok()["items"]
    return {one["metadata"]["name"]: one["metadata"]["resourceVersion"] for one in items}


def files(folder: Path) -> list[Path]:
    """Return what is in *folder*."""
    return list(folder.iterdir())


async def test_every_object_is_stored_anew_and_the_crd_says_so(
    api: Wire, client: Client, widgets: Installed
) -> None:
    """Only then can v1 be removed from the CRD, which the server refuses before."""
    before = revisions(widgets)

    done = await migrate_storage(client, widgets.name, page_size=3, workers=2)

    after = revisions(widgets)
    definition = widgets.definition()
    assert (done.objects, done.trimmed, done.problem) == (7, True, "")
    assert done.stored_versions == ("v1", "v2")
    assert all(after[name] != before[name] for name in NAMES)
    assert definition["status"]["storedVersions"] == ["v2"]
    definition["spec"]["versions"] = [
        one for one in definition["spec"]["versions"] if one["name"] == "v2"
    ]
    api.put(f"{CRDS}/{widgets.name}", definition).ok()
    left = wait_for_status(api, widgets.path("w3", version="v2"), 200).ok()
    assert left["spec"] == {"text": "w3"}


async def test_an_interrupted_run_goes_on_where_it_stopped(
    client: Client, widgets: Installed, tmp_path: Path
) -> None:
    """Pages that are done are not written again, and nothing is trimmed before the end."""
    task = asyncio.create_task(
        migrate_storage(
            client,
            widgets.name,
            page_size=2,
            workers=1,
            state=tmp_path,
            on_progress=lambda done, total: task.cancel() if done == 5 else None,
        )
    )
    with pytest.raises(asyncio.CancelledError):
        await task
    halfway, stored = revisions(widgets), widgets.definition()["status"]["storedVersions"]
    seen: list[int] = []

    done = await migrate_storage(
        client,
        widgets.name,
        page_size=2,
        workers=1,
        state=tmp_path,
        on_progress=lambda done, total: seen.append(done),
    )

    assert stored == ["v1", "v2"]
    assert seen == [5, 6, 7]
    assert revisions(widgets) == halfway | {
        name: found for name, found in revisions(widgets).items() if name in ("w5", "w6")
    }
    assert (done.objects, done.trimmed) == (7, True)
    assert widgets.definition()["status"]["storedVersions"] == ["v2"]
    assert files(tmp_path) == []


async def test_a_second_run_has_nothing_to_do(client: Client, widgets: Installed) -> None:
    """The command can be part of every release."""
    await migrate_storage(client, widgets.name)
    before = revisions(widgets)

    again = await migrate_storage(client, widgets.name)

    assert (again.objects, again.trimmed, again.stored_versions) == (0, True, ("v2",))
    assert revisions(widgets) == before


async def test_a_dry_run_counts_and_writes_nothing(client: Client, widgets: Installed) -> None:
    """Also on servers that do not say how many objects are left after a page."""
    before = revisions(widgets)

    plan = await migrate_storage(client, widgets.name, page_size=2, dry_run=True)

    assert (plan.objects, plan.version, plan.stored_versions) == (7, "v2", ("v1", "v2"))
    assert not plan.trimmed
    assert revisions(widgets) == before
    assert widgets.definition()["status"]["storedVersions"] == ["v1", "v2"]

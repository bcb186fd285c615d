"""What one run may do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kubewright import _json
from kubewright._serve.messages import Request
from kubewright.ansible.children import Children
from kubewright.ansible.dependents import Dependents
from kubewright.ansible.proxy.grant import Grant
from kubewright.ansible.proxy.owner import Owner
from kubewright.ansible.proxy.place import place_of
from kubewright.cluster import Cluster
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import SIGNS, sign, stall, watch


def note(grant: Grant, path: str, document: Mapping[str, Any]) -> None:
    """Let the run get *document* from *path*."""
    place = place_of(path)
    assert place is not None
    grant.note_answer(Request("GET", path), place, 200, _json.encode(dict(document)))


OWNER = Owner("example.com/v1", "Stall", "corner", "default", "1")


async def test_only_what_belongs_to_the_object_is_noted(tmp_path: Path) -> None:
    """A role may read what belongs to others."""
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(tmp_path), Cluster(client)))
        grant = Grant("t", client, OWNER, children)
        theirs, ours = sign("theirs"), sign("ours")
        for one in (theirs, ours):
            one["metadata"] |= {"namespace": "default", "resourceVersion": "1"}
        OWNER.add_to(ours, "default")

        for one in (theirs, ours):
            one["metadata"]["uid"] = "9"
            note(grant, f"{SIGNS}/{one['metadata']['name']}", one)

        assert [key.name for _, key in children.known] == ["ours"]
        assert [read.path for read in children.reads.values()] == [f"{SIGNS}/theirs"]


async def test_the_object_itself_and_events_are_no_input(tmp_path: Path) -> None:
    """Each run changes its status, and may count an event up: there would be no rest."""
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(tmp_path), Cluster(client)))
        grant = Grant("t", client, OWNER, children)

        note(grant, "/apis/example.com/v1/namespaces/default/stalls/corner", stall(uid="1"))
        note(grant, "/api/v1/namespaces/default/events/opened", sign("opened"))

        assert children.reads == {}


async def test_last_answer_counts(tmp_path: Path) -> None:
    """A module may look several times, until it finds what it waits for."""
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(tmp_path), Cluster(client)))
        grant = Grant("t", client, OWNER, children)
        first, last = sign("colours", a="red"), sign("colours", a="blue")

        note(grant, f"{SIGNS}/colours", first)
        before = dict(children.reads)
        note(grant, f"{SIGNS}/colours", last)

        assert len(children.reads) == 1
        assert children.reads != before

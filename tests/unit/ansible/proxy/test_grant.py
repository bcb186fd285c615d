"""What one run may do."""

from pathlib import Path

from kubewright.ansible.children import Children
from kubewright.ansible.dependents import Dependents
from kubewright.ansible.proxy.grant import Grant
from kubewright.ansible.proxy.owner import Owner
from kubewright.cluster import Cluster
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import sign, watch

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

        grant.note_answer(theirs)
        grant.note_answer(ours)

        assert [key.name for _, key in children.known] == ["ours"]

"""What a run has read is read again."""

from pathlib import Path

from kubewright.ansible.children import Children
from kubewright.ansible.dependents import Dependents
from kubewright.ansible.proxy.place import place_of
from kubewright.ansible.reading import changed_reading
from kubewright.api.requests import Request
from kubewright.cluster import Cluster
from kubewright.errors import Attempt
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import SIGNS, ConfigMap, watch


async def test_list_that_has_grown_is_a_change(tmp_path: Path) -> None:
    """As long as it is the same, nothing is run."""
    place = place_of(SIGNS)
    assert place is not None
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(tmp_path), Cluster(client)))
        request = Request("GET", SIGNS, Attempt("list", "configmaps"))
        answer = await client.rest.transport.send(request)
        children.note_read(SIGNS, "", place, answer.status, answer.body)
        before = await changed_reading(client, children)

        await client.create(ConfigMap(metadata={"name": "new", "namespace": "default"}))

        assert (before, await changed_reading(client, children)) == ("", SIGNS)

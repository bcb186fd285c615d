"""What a run depends on."""

from pathlib import Path

from kubewright.ansible.children import Children
from kubewright.ansible.dependents import Dependents
from kubewright.ansible.memory import Last, inputs_of
from kubewright.cluster import Cluster
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import stall, watch


def test_spec_and_role_count_and_the_status_does_not(tmp_path: Path) -> None:
    """Nor do labels; annotations only if the watch says so."""
    plain = watch(tmp_path)
    first = inputs_of(stall("fail"), plain, 1)

    assert inputs_of({**stall("fail"), "status": {"a": 1}}, plain, 1) == first
    assert inputs_of(stall("fail", labels={"a": "b"}), plain, 1) == first
    assert inputs_of(stall("fail", annotations={"a": "b"}), plain, 1) == first
    assert inputs_of(stall("hang"), plain, 1) != first
    assert inputs_of(stall("fail"), plain, 2) != first
    assert inputs_of(stall("fail", deletionTimestamp="now"), plain, 1) != first
    watching = watch(tmp_path, watch_annotations_changes=True)
    assert inputs_of(stall("fail", annotations={"a": "b"}), watching, 1) != first


async def test_failures_wait_longer_each_time(tmp_path: Path) -> None:
    """Up to a quarter of an hour."""
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(tmp_path), Cluster(client)))
        delays = [Last("", 0.0, children, failures=n).retry_at for n in (1, 2, 3, 100)]

    assert delays == [1.0, 2.0, 4.0, 1000.0]

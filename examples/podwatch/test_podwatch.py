"""The operator in virtual time: what it says of pods, and what it does not do to them."""

from collections.abc import AsyncIterator
from http import HTTPStatus

import pytest
import pytest_asyncio
from examples.podwatch import podwatch
from examples.podwatch.podwatch import Endpoint, operator

import kubewright as kw
from kubewright.kinds.core.v1 import Container, Pod, PodSpec
from kubewright.testing import OperatorTest, operator_test

IP = "10.0.0.7"


@pytest_asyncio.fixture
async def test(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OperatorTest]:
    """Run the operator with the rights that it declares, and create a pod with an address."""
    monkeypatch.setattr(podwatch, "PORT", 0)
    async with operator_test(operator, rbac=True) as test:
        spec = PodSpec(containers=[Container(name="web", image="nginx")])
        await test.client.create(Pod(metadata=kw.ObjectMeta(name="web"), spec=spec))
        await test.settle()
        await test.client.status.patch(Pod, "web", {"status": {"podIP": IP}})
        await test.settle()
        yield test


async def test_a_pod_is_seen_and_left_as_it_is(test: OperatorTest) -> None:
    """It belongs to somebody else."""
    written = test.server.api.audit.events(resource="pods", verb="patch")

    assert [run.outcome for run in test.runs] == ["success", "success"]
    assert {call.user.name for call in written} == {"admin"}


async def test_a_pod_is_found_by_its_address(test: OperatorTest) -> None:
    """From the cache: the API server is not asked."""
    [cluster] = test.manager.clusters
    assert isinstance(cluster, kw.Cluster)

    status, found = Endpoint(cluster).answer("GET", f"/pods/{IP}")

    assert status == HTTPStatus.OK
    assert found == [{"namespace": "default", "name": "web", "labels": {}, "ip": IP}]

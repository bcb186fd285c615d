"""The operator in virtual time, with an etcd in memory."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

import kubewright as kw
import traefikservice
from kubewright.kinds.core.v1 import Event
from kubewright.testing import OperatorTest, operator_test
from memory_etcd import MemoryEtcd
from traefikservice import TraefikService, TraefikServiceSpec, operator

RECORD = "kubewright/traefikservice/default/web"


@pytest.fixture
def etcd(monkeypatch: pytest.MonkeyPatch) -> MemoryEtcd:
    """Let the routes go to an etcd in memory."""
    etcd = MemoryEtcd()
    monkeypatch.setattr(traefikservice.routes, "etcd", etcd)
    return etcd


@pytest_asyncio.fixture
async def test(etcd: MemoryEtcd) -> AsyncIterator[OperatorTest]:
    """Run the operator with the rights that it declares, and no others."""
    async with operator_test(operator, rbac=True) as test:
        spec = TraefikServiceSpec(entrypoint="web", url="http://10.0.0.1:8080")
        await test.client.create(TraefikService(metadata=kw.ObjectMeta(name="web"), spec=spec))
        await test.advance(1)  # events are sent in the background
        yield test


async def test_a_route_is_in_etcd_and_the_status_and_an_event_say_so(
    test: OperatorTest, etcd: MemoryEtcd
) -> None:
    """What everybody tries first."""
    found = await test.client.get(TraefikService, "web")
    [event] = await test.client.list(Event)

    assert RECORD in etcd.values
    assert (found.status.active, found.status.message) == (True, "")
    assert event.reason == "Routed"


async def test_the_route_goes_with_its_object(test: OperatorTest, etcd: MemoryEtcd) -> None:
    """The finalizer keeps the object until etcd has forgotten the route."""
    await test.client.delete(TraefikService, "web")
    await test.settle()

    assert await test.client.find(TraefikService, "web") is None
    assert RECORD not in etcd.values

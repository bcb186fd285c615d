"""What ``kubewright run`` says at the start of missing namespaces and rights."""

import asyncio
import logging

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.cli.checks import NamespaceCheck, RightsCheck, check_namespaces
from kubewright.errors import ConfigError
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from kubewright.testing import EmbeddedServer
from kubewright.testing.faults import Hanging, NextFaults

operator = kw.Operator("signs")
seen: set[str] = set()


@operator.reconciler(ConfigMap)
async def reconcile(config: ConfigMap, ctx: kw.Context) -> None:
    seen.add(config.metadata.name)


def warnings(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [one for one in caplog.records if one.levelno >= logging.WARNING]


async def test_all_that_is_missing_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """To be pasted into the roles as it stands."""
    async with EmbeddedServer() as server, server.client(server.nobody) as client:
        await RightsCheck(operator, client, namespaces=["a", "b"], leader_election="c").run()

    [line] = warnings(caplog)
    fields = line.kubewright_fields  # type: ignore[attr-defined]  # set by our loggers
    assert fields["operator"] == "signs"
    assert fields["rules"] == (
        "# in Roles in each of the namespaces a, b:\n"
        '- apiGroups: [""]\n'
        '  resources: ["configmaps"]\n'
        '  verbs: ["get", "list", "watch"]\n'
        '- apiGroups: [""]\n'
        '  resources: ["events"]\n'
        '  verbs: ["create", "patch"]\n'
        "# in a Role in the namespace c:\n"
        '- apiGroups: [""]\n'
        '  resources: ["events"]\n'
        '  verbs: ["create", "patch"]\n'
        '- apiGroups: ["coordination.k8s.io"]\n'
        '  resources: ["leases"]\n'
        '  verbs: ["create", "get", "update"]'
    )


async def test_nothing_is_said_if_nothing_is_missing(caplog: pytest.LogCaptureFixture) -> None:
    """Silence means that all is well."""
    async with EmbeddedServer() as server, server.client() as client:
        await RightsCheck(operator, client).run()

    assert not warnings(caplog)


async def test_a_manager_works_while_the_server_is_asked() -> None:
    """A server that does not answer to reviews holds nobody up."""
    clock = VirtualClock()
    slow = NextFaults([Hanging()] * 100, matching=lambda request: "reviews" in request.target)
    server = EmbeddedServer(clock=clock)
    async with server, server.client(faults=slow) as client:
        manager = kw.Manager(kw.Cluster(client), clock=clock)
        operator.add_to(manager)
        manager.add(RightsCheck(operator, client))
        await client.create(ConfigMap(metadata=kw.ObjectMeta(name="held-up")))

        task = asyncio.create_task(manager.run())
        await clock.advance(1)
        asked = 100 - slow.left
        manager.stop()
        await clock.run(task)

    assert asked > 0
    assert "held-up" in seen


async def test_an_operator_asks_nothing_by_itself() -> None:
    """Only the command does; tests and programs that use ``add_to`` send no reviews."""
    clock = VirtualClock()
    reviews = NextFaults([Hanging()], matching=lambda request: "reviews" in request.target)
    server = EmbeddedServer(clock=clock)
    async with server, server.client(faults=reviews) as client:
        manager = kw.Manager(kw.Cluster(client), clock=clock)
        operator.add_to(manager)
        task = asyncio.create_task(manager.run())
        await clock.advance(1)
        manager.stop()
        await clock.run(task)

    assert reviews.left == 1


@pytest.mark.parametrize("name", ["Bad_NS", "", "a.b", "-a", "a" * 64])
def test_what_can_be_no_namespace_is_refused(name: str) -> None:
    """The operator would wait for it for ever."""
    with pytest.raises(ConfigError, match=r"no such namespace: --namespace: .* not a valid name"):
        check_namespaces(["good", name], option="--namespace")


async def test_a_namespace_that_does_not_exist_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """It is a typing error, most of the time; but it may also be made later."""
    async with EmbeddedServer() as server, server.client() as client:
        await client.create(Namespace(metadata=ObjectMeta(name="shop")))

        await NamespaceCheck(client, ["default", "shop", "shpo"]).run()

    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert line.startswith("namespace does not exist, will wait for it namespace='shpo' hint=")


async def test_who_may_not_look_is_told_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """An operator in one namespace needs no right to read namespaces."""
    async with EmbeddedServer(rbac=True) as server, server.client(server.nobody) as client:
        await NamespaceCheck(client, ["shpo"]).run()

    assert not [record for record in caplog.records if record.levelname == "WARNING"]

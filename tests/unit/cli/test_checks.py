"""What ``kubewright run`` says at the start of missing namespaces and rights."""

import asyncio
import logging

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.cli.checks import NamespaceCheck, RightsCheck, WebhooksCheck, check_namespaces
from kubewright.crd import PolicyRule
from kubewright.errors import ConfigError
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from kubewright.testing import EmbeddedServer
from kubewright.testing.faults import Hanging, NextFaults
from kubewright.webhook import WebhookServing

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


async def test_rights_in_the_namespace_of_the_operator_are_looked_for_there(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its code calls it ``system``, and there is no such namespace in the cluster."""
    rule = PolicyRule(("",), ("pods",), ("get",), namespace="system")
    own = kw.Operator("signs", rules=[rule])

    async with EmbeddedServer() as server, server.client(server.nobody) as client:
        await RightsCheck(own, client).run()

    [line] = warnings(caplog)
    rules = line.kubewright_fields["rules"]  # type: ignore[attr-defined]  # set by our loggers
    assert "# in a Role in the namespace default:" in rules
    assert "system" not in rules


async def test_the_rights_of_secure_metrics_are_checked(caplog: pytest.LogCaptureFixture) -> None:
    """Without them the page shows nothing to anybody."""
    async with EmbeddedServer() as server, server.client(server.nobody) as client:
        await RightsCheck(operator, client, metrics_secure=True).run()

    [line] = warnings(caplog)
    rules = line.kubewright_fields["rules"]  # type: ignore[attr-defined]  # set by our loggers
    assert 'resources: ["tokenreviews"]' in rules
    assert 'resources: ["subjectaccessreviews"]' in rules


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


async def test_webhooks_that_nobody_asks_are_said(caplog: pytest.LogCaptureFixture) -> None:
    """All looks well, and what should be refused is stored."""
    policies = kw.Operator("policies")
    policies.validator(ConfigMap)(lambda config: None)
    async with EmbeddedServer() as server, server.client() as client:
        await WebhooksCheck(policies.webhooks, client).run()
        [line] = warnings(caplog)
        caplog.clear()

        for document in policies.webhooks.configurations(WebhookServing(namespace="default")):
            await client.create(kw.Unstructured(document))
        await WebhooksCheck(policies.webhooks, client).run()

    fields = line.kubewright_fields  # type: ignore[attr-defined]  # set by our loggers
    assert fields["name"] == ["policies-validating-webhook-configuration"]
    assert "--install-webhooks" in fields["hint"]
    assert warnings(caplog) == []


async def test_in_a_pod_of_olm_nothing_is_looked_for(caplog: pytest.LogCaptureFixture) -> None:
    """OLM has made the configurations, under other names."""
    policies = kw.Operator("policies")
    policies.validator(ConfigMap)(lambda config: None)
    environ = {"OPERATOR_CONDITION_NAME": "policies.v0.1.0"}
    async with EmbeddedServer() as server, server.client() as client:
        await WebhooksCheck(policies.webhooks, client, environ=environ).run()

    assert warnings(caplog) == []


async def test_who_may_not_look_for_webhooks_is_told_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """They may well be there."""
    policies = kw.Operator("policies")
    policies.validator(ConfigMap)(lambda config: None)
    async with EmbeddedServer() as server, server.client(server.nobody) as client:
        await WebhooksCheck(policies.webhooks, client).run()

    assert warnings(caplog) == []


@kw.resource(group="checks.example.com", version="v1")
class Sign(kw.Resource):
    """What people read, the hub."""


@kw.resource(group="checks.example.com", version="v2", kind="Sign", storage=False)
class NewSign(kw.Resource):
    """The same in v2."""


async def test_who_converts_and_is_not_asked_hears_of_it(caplog: pytest.LogCaptureFixture) -> None:
    """The server takes the versions for equal then, and drops what one of them lacks."""
    signs = kw.Operator("signs")
    conversion = signs.conversion(Sign)
    conversion.to_hub(NewSign)(lambda sign: Sign(metadata=sign.metadata))
    conversion.from_hub(NewSign)(lambda sign: NewSign(metadata=sign.metadata))
    async with EmbeddedServer() as server, server.client() as client:
        await WebhooksCheck(signs.webhooks, client).run()
        nothing_yet = warnings(caplog)
        asked, *_ = signs.crds()
        unasked = asked | {"spec": asked["spec"] | {"conversion": {"strategy": "None"}}}

        await client.create(kw.Unstructured(unasked))
        await WebhooksCheck(signs.webhooks, client).run()
        [line] = warnings(caplog)
        caplog.clear()

        await client.apply(kw.Unstructured(asked), field_owner="signs", force=True)
        await WebhooksCheck(signs.webhooks, client).run()

    fields = line.kubewright_fields  # type: ignore[attr-defined]  # set by our loggers
    assert nothing_yet == []
    assert fields["name"] == ["signs.checks.example.com"]
    assert "fields that a version lacks are lost" in line.getMessage()
    assert warnings(caplog) == []

"""An operator in a test with its own rights only."""

import pytest

import kubewright as kw
from kubewright.crd import PolicyRule, rules_for
from kubewright.kinds.core.v1 import ConfigMap, Event, Secret
from kubewright.kinds.rbac.v1 import ClusterRole
from kubewright.testing import EmbeddedServer, VirtualClock, operator_test
from kubewright.testing.restriction import restricted_client
from tests.unit.operator.world import Shop, shop


def operator_of(*rules: PolicyRule) -> kw.Operator:
    operator = kw.Operator("shops", rules=rules)

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        await ctx.client.find(Secret, "seed")
        await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=obj.metadata.name)))

    return operator


async def test_what_is_not_declared_is_forbidden_and_the_error_has_the_rule(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It would be in production, too."""
    async with operator_test(operator_of(), rbac=True) as test:
        await test.client.create(shop("corner"))
        await test.advance(1)

        events = await test.client.list(Event)
        assert await test.client.find(ConfigMap, "corner") is None
        assert 'resources: ["secrets"]' in caplog.text
        assert "cannot get secrets 'seed'" in (events[0].message or "")


@pytest.mark.parametrize("namespace", ["", "default", "system"])
async def test_what_is_declared_is_allowed(namespace: str) -> None:
    """Everywhere, in a namespace, or in that of the operator; the test itself may do everything."""
    rules = rules_for({Secret: ["get"]}, namespace=namespace)
    async with operator_test(operator_of(*rules), rbac=True) as test:
        await test.client.create(shop("corner"))
        await test.settle()

        assert await test.client.find(ConfigMap, "corner") is not None


async def test_a_role_may_be_in_a_namespace_that_is_not_there() -> None:
    """The namespace of a deployment is none of a test."""
    async with EmbeddedServer(clock=VirtualClock()) as server, server.client() as admin:
        rules = rules_for({Secret: ["get"]}, namespace="shop-system")
        async with await restricted_client(server, operator_of(*rules), admin) as client:
            assert await client.find(Secret, "a", namespace="shop-system") is None
            with pytest.raises(kw.ForbiddenError):
                await client.find(Secret, "a", namespace="default")
            with pytest.raises(kw.ForbiddenError):
                await client.list(ClusterRole)

"""Several reconcilers of one kind, and what each of them may prune."""

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.testing import EmbeddedServer, VirtualClock, operator_test
from tests.unit.operator.world import Shop, ShopSpec, config, shop


def make_operator(passwords: list[str]) -> kw.Operator:
    """Return an operator with a reconciler that makes a password, and one that prunes Secrets."""
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, name="password", owns=[Secret])
    async def keep_password(obj: Shop, ctx: kw.Context) -> None:
        passwords.append(f"{len(passwords)}")
        wanted = Secret(metadata=kw.ObjectMeta(name=f"{obj.metadata.name}-password"))
        await ctx.create(wanted, fill=lambda one: one.data.update(it=passwords[-1].encode()))

    @operator.reconciler(Shop, name="keys", owns=[Secret, ConfigMap])
    async def keep_keys(obj: Shop, ctx: kw.Context) -> None:
        for number in range(obj.spec.size):
            await ctx.apply(
                Secret(metadata=kw.ObjectMeta(name=f"{obj.metadata.name}-key-{number}"))
            )
            await ctx.apply(config(f"{obj.metadata.name}-{number}"))
        await ctx.prune()

    return operator


async def test_no_prune_deletes_what_another_reconciler_of_the_kind_has_made() -> None:
    """A password that goes and comes again locks out everybody who has the old one."""
    passwords: list[str] = []
    async with operator_test(make_operator(passwords)) as test:
        await test.client.create(shop("corner", size=2))
        await test.settled()
        first = (await test.client.get(Secret, "corner-password")).metadata.uid
        await test.client.patch(Shop, "corner", {"spec": {"size": 1}})
        await test.settled()

        assert (await test.client.get(Secret, "corner-password")).metadata.uid == first
        assert [one.metadata.name for one in await test.client.list(Secret)] == [
            "corner-key-0",
            "corner-password",
        ]
        assert [one.metadata.name for one in await test.client.list(ConfigMap)] == ["corner-0"]


async def test_after_a_restart_nothing_is_pruned_before_all_have_said_what_they_want() -> None:
    """Only the process knew what the other reconciler had made."""
    clock = VirtualClock()
    server = EmbeddedServer(clock=clock)
    async with operator_test(make_operator([]), server=server) as test:
        await test.client.create(shop("corner", size=2))
        await test.settled()
        first = (await test.client.get(Secret, "corner-password")).metadata.uid

        second = make_operator([])
        manager = kw.Manager(kw.Cluster(test.client))
        second.add_to(manager)
        async with manager:
            await test.client.patch(Shop, "corner", {"spec": {"size": 1}})
            await test.settled()

            assert (await test.client.get(Secret, "corner-password")).metadata.uid == first


async def test_another_object_of_the_same_name_has_wishes_of_its_own() -> None:
    """What was made for the old one is nobody's."""
    async with operator_test(make_operator([])) as test:
        await test.client.create(shop("corner", size=2))
        await test.settled()
        await test.client.delete(Shop, "corner")
        await test.client.create(Shop(metadata=kw.ObjectMeta(name="corner"), spec=ShopSpec(size=1)))
        await test.advance(60)

        found = [one.metadata.name for one in await test.client.list(Secret)]
        assert found == ["corner-key-0", "corner-password"]

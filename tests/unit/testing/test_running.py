"""An operator in real time, with webhooks that a server calls over TLS."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest

import kubewright as kw
from kubewright.kinds.admissionregistration.v1 import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
)
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.testing import EmbeddedServer, operator_on
from kubewright.testing.ports import free_ports


class ShopSpec(kw.Model):
    size: int | None = None


class ShopStatus(kw.Model):
    phase: str | None = None


@kw.resource(group="example.com", version="v1", kind="Shop")
class Shop(kw.Resource):
    """A shop, as it is stored."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)
    status: ShopStatus = kw.field(default_factory=ShopStatus)


class NewShopSpec(kw.Model):
    area: int | None = None


@kw.resource(group="example.com", version="v2", kind="Shop", storage=False)
class NewShop(kw.Resource):
    """A shop in other words."""

    spec: NewShopSpec = kw.field(default_factory=NewShopSpec)
    status: ShopStatus = kw.field(default_factory=ShopStatus)


def shop(name: str = "corner", size: int | None = None) -> Shop:
    """Return a shop as a user would write it."""
    return Shop(metadata=kw.ObjectMeta(name=name), spec=ShopSpec(size=size))


def make_operator() -> kw.Operator:
    """Return an operator that reconciles, fills in, refuses and converts."""
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=obj.metadata.name)))

    @operator.defaulter(Shop)
    def fill_in(obj: Shop) -> None:
        obj.spec.size = 1 if obj.spec.size is None else obj.spec.size

    @operator.validator(Shop)
    def check(obj: Shop, ctx: kw.AdmissionContext[Shop]) -> None:
        if obj.spec.size is not None and obj.spec.size > 100:
            ctx.refuse("spec.size", "there is no room for it")

    conversion = operator.conversion(Shop)

    @conversion.to_hub(NewShop)
    def to_v1(new: NewShop) -> Shop:
        return Shop(spec=ShopSpec(size=new.spec.area), status=new.status)

    @conversion.from_hub(NewShop)
    def from_v1(hub: Shop) -> NewShop:
        return NewShop(spec=NewShopSpec(area=hub.spec.size), status=hub.status)

    return operator


def running(server: EmbeddedServer) -> AbstractAsyncContextManager[kw.Client]:
    """Run the operator."""
    return operator_on(server, make_operator())


async def test_a_reconciler_works_in_the_block() -> None:
    """CRDs and manager are there; the test is about the operator alone."""
    async with EmbeddedServer() as server, running(server) as client:
        await client.create(shop())

        made = await kw.wait_for(client, ConfigMap, "corner", lambda one: one is not None)

        assert made is not None


async def test_its_webhooks_are_called_over_tls() -> None:
    """Certificates and the registration are tested with them, as a real server uses them."""
    async with EmbeddedServer() as server, running(server) as client:
        stored = await client.create(shop())
        seen = await client.get(NewShop, "corner")
        with pytest.raises(kw.InvalidError, match="there is no room for it") as refused:
            await client.create(shop("large", size=101))

        configuration = await client.get(
            ValidatingWebhookConfiguration, "shops-validating-webhook-configuration"
        )
        called = configuration.webhooks[0].client_config
        assert stored.spec.size == 1
        assert seen.spec.area == 1
        assert [cause.field for cause in refused.value.causes] == ["spec.size"]
        assert (called.url or "").startswith("https://127.0.0.1:")
        assert called.ca_bundle


async def test_webhooks_are_registered_when_the_block_begins() -> None:
    """A test that creates an object at once must not slip past them."""
    async with EmbeddedServer() as server, running(server) as client:
        names = [one.metadata.name for one in await client.list(MutatingWebhookConfiguration)]

        assert names == ["shops-mutating-webhook-configuration"]


async def test_a_server_in_another_thread_calls_them_too() -> None:
    """As does a real server, which is another process."""
    with EmbeddedServer() as server:
        async with running(server) as client:
            stored = await client.create(shop())

            assert stored.spec.size == 1
            assert (await client.get(NewShop, "corner")).spec.area == 1


async def test_a_test_may_say_how_they_are_served() -> None:
    """With names of its own, two operators do without one another's certificate."""
    (port,) = free_ports(1)
    serving = kw.WebhookServing(
        host="127.0.0.1",
        port=port,
        url=f"https://127.0.0.1:{port}",
        secret="certificate-of-the-test",
        install=True,
    )
    async with (
        EmbeddedServer() as server,
        operator_on(server, make_operator(), serve_webhooks=serving) as client,
    ):
        stored = await client.create(shop())

        assert stored.spec.size == 1
        assert await client.find(Secret, "certificate-of-the-test") is not None


async def test_an_operator_without_webhooks_needs_none() -> None:
    """Nothing is served and nothing is registered for it."""
    operator = kw.Operator("plain")

    @operator.reconciler(Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "open"

    async with EmbeddedServer() as server, operator_on(server, operator) as client:
        await client.create(shop())

        found = await kw.wait_for(
            client, Shop, "corner", lambda one: one is not None and one.status.phase == "open"
        )

        assert found is not None
        assert not await client.list(ValidatingWebhookConfiguration)
        assert not await client.list(Secret)


async def test_several_workers_reconcile_at_the_same_time() -> None:
    """A test of races needs the races."""
    operator = kw.Operator("busy")
    both = asyncio.Barrier(2)

    @operator.reconciler(Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        await both.wait()
        obj.status.phase = "open"

    async with EmbeddedServer() as server, operator_on(server, operator, workers=2) as client:
        await client.create(shop("a"))
        await client.create(shop("b"))

        for name in ("a", "b"):
            await kw.wait_for(
                client, Shop, name, lambda one: one is not None and one.status.phase == "open"
            )


async def test_an_error_of_the_operator_comes_out_of_the_block() -> None:
    """The test would otherwise wait for something that nobody does any more."""

    class Broken:
        async def run(self) -> None:
            raise OSError("the disk is full")

    class Application(kw.Application):
        def populate(self, manager: kw.Manager, clusters: object, *, workers: int) -> None:
            manager.add(Broken())

    with pytest.raises(OSError, match="the disk is full"):
        async with EmbeddedServer() as server, operator_on(server, Application("broken")):
            await asyncio.Event().wait()


async def test_after_the_block_nobody_listens_any_more() -> None:
    """The next test may get the same port."""
    (port,) = free_ports(1)
    serving = kw.WebhookServing(
        host="127.0.0.1", port=port, url=f"https://127.0.0.1:{port}", install=True
    )
    async with EmbeddedServer() as server:
        async with operator_on(server, make_operator(), serve_webhooks=serving):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            await writer.wait_closed()

        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)

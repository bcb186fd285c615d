"""The operator that these tests run: a shop has signs, prices, and a contract with a landlord."""

from collections.abc import Callable, Iterable
from typing import Any

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap, Secret
from tests.simulation.landlord import Door

GROUP = "example.com"
NAME = "shops"
FINALIZER = f"{GROUP}/{NAME}"
PRICES = "prices"


class ShopSpec(kw.Model):
    size: int = 1
    signs: int = 1


class ShopStatus(kw.Model):
    contract: bool | None = None
    signs: int | None = None
    price: str | None = None
    observed_generation: int | None = None
    conditions: list[kw.Condition] = []


@kw.resource(group=GROUP, version="v1")
class Shop(kw.Resource):
    """A shop."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)
    status: ShopStatus = kw.field(default_factory=ShopStatus)


def shop(name: str, **spec: int) -> Shop:
    """Return a shop as its owner writes it down."""
    return Shop(metadata=kw.ObjectMeta(name=name), spec=ShopSpec(**spec))


def prices(price: str) -> Secret:
    """Return the price list that all shops share."""
    return Secret(metadata=kw.ObjectMeta(name=PRICES), string_data={"price": price})


def sign_of(shop: Shop, number: int, price: str) -> ConfigMap:
    """Return one of the signs that a shop should have."""
    return ConfigMap(
        metadata=kw.ObjectMeta(
            name=f"{shop.metadata.name}-{number}", labels={"shop": shop.metadata.name}
        ),
        data={"size": str(shop.spec.size), "price": price},
    )


def make_operator(landlord: Door, known: Callable[[], Iterable[kw.ObjectKey]]) -> kw.Operator:
    """Return the operator as one process runs it.

    Args:
        landlord: The world outside of Kubernetes.
        known: Says which shops there are: all of them depend on the price list.
    """
    operator = kw.Operator(NAME)

    def all_shops(changed: Secret) -> Iterable[kw.ObjectKey]:
        return known() if changed.metadata.name == PRICES else ()

    @operator.reconciler(
        Shop,
        owns=[ConfigMap],
        watches=[kw.Watches(Secret, map=all_shops)],
        workers=2,
        deadline=120,
    )
    async def reconcile(shop: Shop, ctx: kw.Context) -> None:
        await landlord.call(shop.metadata.uid)
        if not shop.status.contract:
            # A cache may be behind, after a change of leader by minutes. What is made outside of
            # Kubernetes for an object that is gone would stay for ever, so the server is asked.
            live = await ctx.client.live.find(Shop, shop.key)
            if live is None or live.metadata.uid != shop.metadata.uid:
                return
            if await landlord.sign(shop.metadata.uid):
                ctx.event("Signed", "the contract is signed")
            shop.status.contract = True
        price = price_in(await ctx.client.find(Secret, PRICES))
        for number in range(shop.spec.signs):
            await ctx.apply(sign_of(shop, number, price))
        await ctx.prune()
        shop.status.signs, shop.status.price = shop.spec.signs, price
        ctx.set_condition("Ready", True, "Open")

    @operator.cleanup(Shop)
    async def close(shop: Shop, ctx: kw.Context) -> None:
        await landlord.end(shop.metadata.uid)

    return operator


def price_in(secret: Any) -> str:
    """Return the price in a list that may not be there."""
    return "" if secret is None else secret.data["price"].decode()

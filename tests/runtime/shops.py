"""The operator of these tests: a shop has a sign (a ConfigMap) that shows its size."""

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap


class ShopSpec(kw.Model):
    size: int = 1
    """How large it is."""


class ShopStatus(kw.Model):
    size: int = 0
    """How large the sign says it is."""
    observed_generation: int = 0


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    """A shop with a sign."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)
    status: ShopStatus = kw.field(default_factory=ShopStatus)


operator = kw.Operator("shops")


def sign_of(shop: Shop) -> ConfigMap:
    """Return the sign that a shop should have."""
    return ConfigMap(
        metadata=kw.ObjectMeta(name=shop.metadata.name), data={"size": str(shop.spec.size)}
    )


@operator.reconciler(Shop, owns=[ConfigMap])
async def reconcile(shop: Shop, ctx: kw.Context) -> None:
    """Put up the sign, and say so in the status."""
    sign = await ctx.apply(sign_of(shop))
    shop.status.size = int(sign.data["size"])

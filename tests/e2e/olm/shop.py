"""An operator that tries what it may, and what it may not, and says so in the status."""

import kubewright as kw
from kubewright.errors import ForbiddenError
from kubewright.kinds.core.v1 import ConfigMap, Secret

operator = kw.Operator("shop")
SHOP = kw.Kind("example.com/v1", "Shop")


@operator.reconciler(SHOP)
async def reconcile(shop: kw.Unstructured, ctx: kw.Context) -> None:
    """Make a ConfigMap, and try to make a Secret; the size tells how many worked."""
    worked = 0
    for kind in (ConfigMap, Secret):
        metadata = kw.ObjectMeta(name=shop.name, namespace=shop.namespace)
        try:
            await ctx.client.apply(kind(metadata=metadata), field_owner="shop", force=True)
        except ForbiddenError:
            continue
        worked += 1
    shop["status"] = {"size": worked}

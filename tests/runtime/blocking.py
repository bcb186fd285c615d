"""An operator whose author did not know better: it blocks the event loop in each reconcile."""

import time

import kubewright as kw
from tests.runtime.shops import Shop

operator = kw.Operator("shops")


@operator.reconciler(Shop)
async def reconcile(shop: Shop, ctx: kw.Context) -> None:
    """Wait for something, and let everybody else wait, too."""
    time.sleep(0.2)  # noqa: ASYNC251  # that is the point

"""Reconciles objects of the kind Guestbook."""

import kubewright as kw

from guestbook.api.v1.guestbook import Guestbook
from guestbook.operator import operator


@operator.reconciler(Guestbook)
async def reconcile(guestbook: Guestbook, ctx: kw.Context) -> kw.Result | None:
    """Make the world as a Guestbook says.

    This runs after each change of the object, and once after each start: look at what is there, do
    what is missing, and return. If it raises, it runs again after a while.
    """
    # Objects that belong to it: declare `owns=[Deployment]` above, and `await ctx.apply(...)` here.
    ctx.set_condition("Ready", status=True, reason="Reconciled")
    return None

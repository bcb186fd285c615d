"""Operators: functions that keep objects of a kind as they are meant to be.

A reconciler sees an object and makes the world agree with it. It does not hear what happened, only
how things are; so it can be called at any time, and as often as you like. What it needs is in its
`Context`: a client, `Context.apply` for what should exist, `Context.prune` for what should not
any more, events, conditions, the time.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names
from kubewright.operator.child import Child
from kubewright.operator.context import Context
from kubewright.operator.operator import Operator

if TYPE_CHECKING:
    from kubewright.operator.sync_context import SyncClient, SyncContext

__all__ = ["Child", "Context", "Operator", "SyncClient", "SyncContext"]

# Loaded when first used, since most reconcilers are asynchronous. Hidden from type checkers, which
# know the names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__, dict.fromkeys(("SyncClient", "SyncContext"), "sync_context")
    )

"""Operators: functions that bring objects of a kind to their desired state.

A reconciler gets an object and makes the world agree with it. It is told the current state, not
what happened, so it can be called at any time and any number of times. What it needs is in its
`Context`: a client, `Context.apply` for what should exist, `Context.prune` for what should no
longer exist, events, conditions, the time.
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

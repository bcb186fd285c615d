"""How each built-in kind behaves: defaults, preparation, validation, as Kubernetes 1.37 does it.

`strategy_for` is the door. The module of a kind is imported when the first object of that kind is
written, so that a server starts without reading any of them.
"""

from functools import cache
from importlib import import_module

from kubewright.apiserver.builtin.others_table import OTHERS
from kubewright.apiserver.builtin.workloads_table import WORKLOADS
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Strategy

__all__ = ["strategy_for"]


@cache
def strategy_for(group: str, resource: str) -> Strategy:
    """Return the behaviour of a built-in resource; plain for one without peculiarities."""
    key = GroupResource(group, resource)
    place = WORKLOADS.get(key) or OTHERS.get(key)
    if place is None:
        return Strategy()
    module, _, name = place.partition(":")
    found: Strategy = getattr(import_module(f"{__name__}.{module}"), name)()
    return found

"""How each built-in kind behaves: defaults, preparation, validation, as in Kubernetes 1.37.

There is a module or a folder for each API group, named after it; `fields` has the rules that kinds
of several groups share. `strategy_for` is the door: it imports the module of a kind when the first
object of that kind is written, so a server starts without reading any of them.
"""

from functools import cache
from importlib import import_module

from kubewright.apiserver.builtin.strategies import STRATEGIES
from kubewright.apiserver.registry.strategy import Strategy

__all__ = ["strategy_for"]


@cache
def strategy_for(group: str, resource: str) -> Strategy:
    """Return the behaviour of a built-in resource; plain for one without peculiarities."""
    place = STRATEGIES.get(group, {}).get(resource)
    if place is None:
        return Strategy()
    module, _, name = place.partition(":")
    found: Strategy = getattr(import_module(f"{__name__}.{module}"), name)()
    return found

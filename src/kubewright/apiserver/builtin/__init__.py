"""How each built-in kind behaves: defaults, preparation and validation, as in Kubernetes 1.37.

Each API group has a module or a folder with its name; `fields` has the rules that several groups
share. Call `strategy_for` to get the strategy of a kind. It imports the module when the first
object of that kind is written, so a server starts without loading any of them.
"""

from functools import cache
from importlib import import_module

from kubewright.apiserver.builtin.strategies import STRATEGIES
from kubewright.apiserver.registry.strategy import Strategy

__all__ = ["strategy_for"]


@cache
def strategy_for(group: str, resource: str) -> Strategy:
    """Return the strategy of a built-in resource; a plain one if it has no rules of its own."""
    place = STRATEGIES.get(group, {}).get(resource)
    if place is None:
        return Strategy()
    module, _, name = place.partition(":")
    found: Strategy = getattr(import_module(f"{__name__}.{module}"), name)()
    return found

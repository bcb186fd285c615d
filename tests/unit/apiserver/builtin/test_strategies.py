import pytest

from kubewright.apiserver.builtin.strategies import STRATEGIES
from tests.unit.apiserver.builtin.kind_server import KindServer

KINDS = [(group, plural) for group, plurals in STRATEGIES.items() for plural in plurals]


@pytest.mark.parametrize(("group", "plural"), KINDS)
def test_every_kind_takes_defaults_for_an_empty_object_twice(group: str, plural: str) -> None:
    """An entry for a missing module or class would fail for the first user of the kind."""
    strategy = KindServer(group, plural).strategy
    once: dict[str, object] = {"metadata": {"name": "x"}}
    strategy.default(once)
    twice = {**once}

    strategy.default(twice)

    assert once == twice


@pytest.mark.parametrize(("group", "plural"), [kind for kind in KINDS if kind[1] != "events"])
def test_a_strategy_is_named_after_its_kind(group: str, plural: str) -> None:
    """A search for the kind must lead to its rules."""
    kind = STRATEGIES[group][plural].partition(":")[2].removesuffix("Strategy").lower()

    assert plural in (kind, f"{kind}s", f"{kind}es", f"{kind[:-1]}ies")

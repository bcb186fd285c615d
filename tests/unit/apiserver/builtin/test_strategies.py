import pytest

from kubewright.apiserver.builtin.strategies import STRATEGIES
from tests.unit.apiserver.builtin.kind_server import KindServer

KINDS = [(group, plural) for group, plurals in STRATEGIES.items() for plural in plurals]


@pytest.mark.parametrize(("group", "plural"), KINDS)
def test_every_kind_takes_defaults_for_an_empty_object_twice(group: str, plural: str) -> None:
    """A place in the table that does not exist would be found by the first user only."""
    strategy = KindServer(group, plural).strategy
    once: dict[str, object] = {"metadata": {"name": "x"}}
    strategy.default(once)
    twice = {**once}

    strategy.default(twice)

    assert once == twice

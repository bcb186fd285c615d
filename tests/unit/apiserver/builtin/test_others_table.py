import pytest

from kubewright.apiserver.builtin.others_table import OTHERS
from tests.unit.apiserver.builtin.kind_server import KindServer


@pytest.mark.parametrize(("group", "plural"), OTHERS)
def test_every_kind_takes_defaults_for_an_empty_object_twice(group: str, plural: str) -> None:
    """A place in the table that does not exist would be found by the first user only."""
    strategy = KindServer(group, plural).strategy
    once: dict[str, object] = {"metadata": {"name": "x"}}
    strategy.default(once)
    twice = {**once}

    strategy.default(twice)

    assert once == twice

"""Which behaviour belongs to which resource."""

import subprocess
import sys

import pytest

from kubewright.apiserver.builtin import strategy_for
from kubewright.apiserver.builtin.strategies import STRATEGIES
from kubewright.apiserver.registry.strategy import Strategy

KINDS = [(group, plural) for group, plurals in STRATEGIES.items() for plural in plurals]


@pytest.mark.parametrize("resource", KINDS, ids=str)
def test_every_entry_of_the_table_leads_to_a_strategy(resource: tuple[str, str]) -> None:
    """A misspelt module would only fail for the first write of that kind."""
    strategy = strategy_for(*resource)

    assert isinstance(strategy, Strategy)
    assert strategy is strategy_for(*resource)


def test_a_resource_without_peculiarities_has_the_plain_behaviour() -> None:
    """New kinds work before there are rules for them."""
    assert type(strategy_for("example.com", "things")) is Strategy


def test_no_kind_is_read_before_it_is_needed() -> None:
    """A server must start in a blink."""
    shown = "print(*(name for name in sys.modules if 'apiserver.builtin.' in name))"
    code = f"import sys, kubewright.apiserver.builtin; {shown}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert {name.rpartition(".")[2] for name in ran.stdout.split()} == {"strategies"}

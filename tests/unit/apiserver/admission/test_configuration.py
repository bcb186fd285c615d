from typing import Any

import pytest

from kubewright.apiserver.admission.configuration import (
    VALIDATING,
    ConfigurationCache,
    Webhook,
    webhooks_of,
)
from tests.unit.apiserver.memory_reader import MemoryReader


def configuration(name: str, *hooks: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "webhooks": [{"name": hook} for hook in hooks]}


def test_webhooks_come_in_the_order_of_their_configurations() -> None:
    """And inside of one, in its own."""
    reader = MemoryReader()
    reader.put(VALIDATING, configuration("b", "first", "second"))
    reader.put(VALIDATING, configuration("a", "third"))

    hooks = ConfigurationCache(reader, VALIDATING, webhooks_of).get()

    assert [hook.name for hook in hooks] == ["third", "first", "second"]


def test_they_are_read_again_only_when_one_has_changed() -> None:
    """Every write asks for them."""
    reader = MemoryReader()
    reader.put(VALIDATING, configuration("a", "first"))
    stored = ConfigurationCache(reader, VALIDATING, webhooks_of)
    before = stored.get()
    assert stored.get() is before

    reader.delete(VALIDATING, "a")

    assert stored.get() == []


def test_what_is_left_out_is_as_kubernetes_has_it() -> None:
    """Strict, ten seconds, once, and not for dry runs."""
    hook = Webhook.of({"name": "h"}, "c", 0)

    assert (hook.timeout, hook.tolerated, hook.reinvoked, hook.dry) == (10, False, False, False)


def test_two_webhooks_of_one_name_are_two() -> None:
    """Each is asked again for itself."""
    first, second = webhooks_of([configuration("c", "same", "same")])

    assert first.key != second.key


def test_a_selector_that_is_none_is_noticed() -> None:
    """Validation should have refused it."""
    bad = {"matchExpressions": [{"key": "a", "operator": "Like"}]}

    with pytest.raises(ValueError, match='"Like" is not a valid label selector operator'):
        Webhook.of({"name": "h", "objectSelector": bad}, "c", 0)

"""A kind without peculiarities."""

from typing import Any

from kubewright.apiserver.meta import field
from kubewright.apiserver.registry.strategy import Strategy, Write
from kubewright.apiserver.storage import Store


def test_a_plain_kind_takes_everything_and_changes_nothing() -> None:
    """What a kind does not say otherwise."""
    strategy, write = Strategy(), Write(Store(), None, "now", False, print)
    obj: dict[str, Any] = {"metadata": {}, "spec": {"a": 1}, "status": {}}
    before = repr(obj)

    strategy.default(obj)
    strategy.prepare_create(obj, write)
    strategy.prepare_update(obj, obj, write)
    strategy.prepare_status_update(obj, obj, write)
    strategy.after_create(obj, write)
    strategy.after_delete(obj, write)

    assert repr(obj) == before
    assert strategy.validate(obj, write) == strategy.validate_update(obj, obj, write) == []
    assert strategy.validate_status_update(obj, obj, write) == []
    assert (strategy.grace_period(obj, 9), strategy.selectable_fields(obj)) == (0, {})
    assert not strategy.allows_field("spec.a")


def test_a_generation_is_a_change_of_the_spec() -> None:
    """Not of the status."""
    strategy = Strategy()

    assert strategy.spec_changed({"spec": 1}, {"spec": 2})
    assert not strategy.spec_changed({"spec": 1, "status": 1}, {"spec": 1, "status": 2})


def test_updates_are_checked_by_the_rules_of_creation_unless_a_kind_says_otherwise() -> None:
    """A kind that has only `validate` is checked in both cases."""

    class Picky(Strategy):
        def validate(self, obj: Any, write: Write) -> list[Any]:
            return [field.required("a")]

    write = Write(Store(), None, "now", False, print)

    assert Picky().validate_update({}, {}, write) == [field.required("a")]

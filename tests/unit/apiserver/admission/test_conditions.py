import pytest

from kubewright.apiserver.admission.conditions import Condition, ConditionError, all_met

VALUES = {"object": {"a": 1}, "oldObject": None}
TRUE, FALSE, BROKEN = "object.a == 1", "object.a == 2", "object.b == 1"


def conditions(*sources: str) -> list[Condition]:
    return [Condition.of({"name": "c", "expression": source}) for source in sources]


@pytest.mark.parametrize(
    ("sources", "met"),
    [((), True), ((TRUE, TRUE), True), ((TRUE, FALSE), False), ((BROKEN, FALSE), False)],
)
def test_all_must_hold_and_one_that_is_false_decides(
    sources: tuple[str, ...], *, met: bool
) -> None:
    """Even if another has no value."""
    assert all_met(conditions(*sources), VALUES, tolerated=False) is met


def test_one_that_fails_is_an_error_or_means_no() -> None:
    """By the failure policy of the webhook."""
    assert not all_met(conditions(TRUE, BROKEN), VALUES, tolerated=True)
    with pytest.raises(ConditionError, match="resulted in error: no such key: b"):
        all_met(conditions(TRUE, BROKEN), VALUES, tolerated=False)

"""Whether costs grow as fast as the number of objects, and no faster."""

import pytest

from bench.runtime.growth import GROWTHS, costs, marginal, per_object, render_costs, verdicts

LIST = GROWTHS[0]
EVENT = GROWTHS[-1]


def test_the_cost_of_a_list_is_divided_by_its_objects_and_that_of_an_event_is_not() -> None:
    """One is measured for all, the other for each."""
    assert per_object(LIST, {1_000: 2_000.0}) == {1_000: 2.0}
    assert per_object(EVENT, {1_000: 20.0}) == {1_000: 20.0}


def test_a_fixed_cost_does_not_hide_what_further_objects_cost() -> None:
    """Start-up makes the few look dear, and so the many cheap."""
    by_size = {1_000: 5_000.0, 10_000: 14_000.0, 100_000: 194_000.0}

    found = {one.against: one for one in verdicts({(LIST, "kubewright"): by_size})}

    assert not found["100,000 to 1,000"].missed
    assert marginal(by_size) == [1.0, 2.0]
    assert found["further ones"].ratio == 2.0
    assert found["further ones"].missed


def test_a_flat_cost_reaches_the_goal() -> None:
    """The same per object at every size."""
    by_size = {size: size * 3.0 for size in (1_000, 10_000, 100_000)}

    found = list(verdicts({(LIST, "kubewright"): by_size}))

    assert [one.ratio for one in found] == [pytest.approx(1.0)] * 2
    assert not any(one.missed for one in found)


def test_a_size_that_failed_is_left_out_of_the_table() -> None:
    """What is known is shown all the same."""
    runs = {1_000: {"events": {"kubewright": [{"cpu_us": 30.0}]}}, 10_000: {}}

    values = costs(runs)

    assert list(verdicts(values)) == []
    assert "30.00" in render_costs(values)

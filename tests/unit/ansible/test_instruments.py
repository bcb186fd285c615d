"""The metrics of runs."""

from kubewright.ansible.instruments import RESULT, SPARED, TIME, Instruments


def test_runs_are_counted_by_their_outcome() -> None:
    """And reconciles that needed none."""
    found = Instruments("Stall.test")

    found.note_run(2.0, failed=False)
    found.note_run(3.0, failed=True)
    found.note_spared()

    assert RESULT.labels("Stall.test", "succeeded").value == 1
    assert RESULT.labels("Stall.test", "failed").value == 1
    assert TIME.labels("Stall.test").sum == 5.0
    assert SPARED.labels("Stall.test").value == 1

"""The conditions of operator-sdk."""

from typing import Any

from kubewright.ansible.conditions import done, failed, running

THEIRS = {"type": "Clean", "status": "True"}
RESULT = {"ok": 1}


def by_type(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return conditions by their type."""
    return {one["type"]: one for one in found}


def test_run_that_goes_well() -> None:
    """Running stays true afterwards, with another reason; those of others stay."""
    begun = running([THEIRS], "t1")
    ended = by_type(done(begun, "t2", RESULT))

    assert begun[0] == ended["Clean"] == THEIRS
    assert ended["Running"]["lastTransitionTime"] == "t1"
    assert ended["Running"]["message"] == "Awaiting next reconciliation"
    assert ended["Running"]["ansibleResult"] == RESULT
    assert (ended["Successful"]["status"], ended["Failure"]["status"]) == ("True", "False")


def test_run_that_fails_and_is_mended() -> None:
    """The messages are lines, and the times are those of the changes."""
    ended = failed(running([], "t1"), "t2", None, ["a", "b"])
    again = running(ended, "t3")
    mended = by_type(done(again, "t4", RESULT))

    found = by_type(ended)
    assert found["Running"]["status"] == "False"
    assert (found["Failure"]["message"], found["Failure"]["lastTransitionTime"]) == ("a\nb", "t2")
    assert by_type(again)["Failure"]["status"] == "False"
    assert mended["Successful"]["lastTransitionTime"] == "t4"
    assert "Successful" not in found


def test_what_was_given_is_not_changed() -> None:
    """It is what the cache has."""
    before = [{"type": "Running", "status": "False"}]

    running(before, "t1")

    assert before == [{"type": "Running", "status": "False"}]

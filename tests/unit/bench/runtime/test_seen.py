"""What a contender notes of the changes that it reconciles."""

import pytest

from bench.runtime.seen import Seen


def test_the_first_state_is_ready_and_the_last_change_is_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The writer waits for the one and the contender stops at the other."""
    seen = Seen(2)

    ended = [seen.note(number) for number in ("0", "1", "2")]

    assert ended == [False, False, True]
    assert capsys.readouterr().out == "READY\n"
    assert seen.times["1"] <= seen.times["2"]

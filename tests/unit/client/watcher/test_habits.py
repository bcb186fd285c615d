"""Habits: how long a server may be silent, learned from how it behaves."""

from kubewright.client.watcher.habits import Habits


def test_patience_grows_with_each_innocent_silence_and_has_an_end() -> None:
    """Servers end streams after ten minutes at the latest anyway."""
    habits = Habits()
    grown = []
    for _ in range(4):
        habits.fell_silent()
        habits.heard(after=60.0)
        grown.append(habits.silence)

    assert grown == [300.0, 600.0, 600.0, 600.0]


def test_patience_is_lost_when_a_silence_has_hidden_something() -> None:
    """The stream was dead."""
    habits = Habits()
    habits.fell_silent()

    habits.heard(after=0.2)

    assert habits.silence == 150.0

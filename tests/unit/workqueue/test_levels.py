"""The lines of the queue, one for each priority."""

from kubewright.workqueue.levels import KEPT_LEVELS, Level, Levels


def test_a_key_that_left_is_skipped() -> None:
    """It stands in another line now."""
    level = Level[str](0)
    level.keys.extend("abc")

    level.leave("b")

    assert len(level) == 2
    assert [level.pop(), level.pop()] == ["a", "c"]


def test_a_key_that_left_and_came_back_stands_where_it_came_back() -> None:
    """Each of its ghosts is skipped once, and then it is itself."""
    level = Level[str](0)
    level.keys.extend("ab")
    for _ in range(2):
        level.leave("a")
        level.keys.append("a")

    assert [level.pop(), level.pop()] == ["b", "a"]
    assert len(level) == 0
    assert not level.ghosts


def test_ghosts_do_not_pile_up() -> None:
    """A low line that is never served would grow for as long as keys pass through it."""
    level = Level[str](0)
    level.keys.append("stays")
    for _ in range(10_000):
        level.keys.append("restless")
        level.leave("restless")

    assert len(level.keys) < 200
    assert len(level) == 1
    assert level.pop() == "stays"


def test_the_highest_line_with_a_key_is_served() -> None:
    """Empty lines, and those with ghosts only, are passed by."""
    levels = Levels[str]()
    levels[5].keys.append("ghost")
    levels[5].leave("ghost")
    levels[-5].keys.append("low")
    levels[2].keys.append("high")

    first = levels.highest()
    assert first is levels[2]
    first.pop()
    assert levels.highest() is levels[-5]
    levels[-5].pop()

    assert levels.highest() is None


def test_depths_show_lines_that_are_empty_now() -> None:
    """A series that vanished from the page would not read as zero."""
    levels = Levels[str]()
    levels[3].keys.append("a")
    levels[3].pop()

    assert levels.depths() == {0: 0, 3: 0}


def test_empty_lines_are_not_kept_without_bound() -> None:
    """Somebody may use a time as the priority."""
    levels = Levels[str]()
    levels[-1].keys.append("a")
    for priority in range(1, 1000):
        levels[priority].keys.append("b")
        levels[priority].pop()

    depths = levels.depths()

    assert len(depths) <= KEPT_LEVELS
    assert depths[-1] == 1
    assert levels[0] is levels.normal

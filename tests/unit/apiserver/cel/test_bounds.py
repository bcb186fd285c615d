"""Amounts between two bounds."""

from kubewright.apiserver.cel.bounds import MOST, NOTHING, ONE, UNKNOWN, Bounds, exactly


def test_amounts_add_multiply_and_cover() -> None:
    """Bound by bound; a part of one counts as one."""
    one, other = Bounds(1, 5), Bounds(2, 3)

    assert one.plus(other) == (3, 8)
    assert one.times(other) == (2, 15)
    assert one.union(other) == (1, 5)
    assert one.scaled(0.1) == (1, 1)
    assert exactly(7) == (7, 7)


def test_amounts_never_grow_beyond_the_largest() -> None:
    """Arithmetic on an unknown size must not overflow."""
    assert UNKNOWN.plus(ONE) == Bounds(1, MOST)
    assert UNKNOWN.plus(NOTHING) == UNKNOWN
    assert UNKNOWN.times(exactly(3)).high == MOST
    assert UNKNOWN.scaled(2.0).high == MOST

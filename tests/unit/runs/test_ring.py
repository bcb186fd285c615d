"""The last items, bounded."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kubewright.runs.ring import Ring


def ring(most: int = 10, most_bytes: int = 1000, most_each: int = 10) -> Ring[int]:
    """Return an empty ring."""
    return Ring(most=most, most_bytes=most_bytes, most_each=most_each)


def test_the_oldest_goes_first() -> None:
    """By number, and by size."""
    by_number, by_size = ring(most=2), ring(most_bytes=25)
    for number in range(4):
        by_number.add("a", number, size=1)
        by_size.add("a", number, size=10)

    assert list(by_number) == [2, 3]
    assert list(by_size) == [2, 3]
    assert by_size.size == 20


def test_a_key_that_comes_all_the_time_does_not_push_out_the_others() -> None:
    """A hot loop is what somebody looks at the records for, and then only it would be there."""
    found = ring(most_each=3)
    found.add("quiet", -1, size=1)
    for number in range(100):
        found.add("hot", number, size=1)

    assert found.of("quiet") == [-1]
    assert found.of("hot") == [97, 98, 99]
    assert found.of("unknown") == []


def test_one_that_is_too_large_is_not_kept() -> None:
    """The bound holds whatever comes."""
    found = ring(most_bytes=25)
    found.add("a", 1, size=10)
    found.add("a", 2, size=100)

    assert (len(found), found.size, found.keys) == (0, 0, 0)


def test_keys_that_come_and_go_leave_nothing_behind() -> None:
    """Objects have ever new names; an index that only grows is a leak."""
    found = ring(most=100, most_bytes=10**6)
    for number in range(20_000):
        found.add(f"job-{number}", number, size=1)

    assert (len(found), found.keys) == (100, 100)
    found.clear()
    assert (len(found), found.size, found.keys) == (0, 0, 0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=60))
def test_whatever_comes_the_index_agrees_with_the_ring(items: list[tuple[str, int]]) -> None:
    """What is told for one key is what is kept of it, in order."""
    found = Ring[tuple[str, int, int]](most=8, most_bytes=100, most_each=3)
    for number, (key, size) in enumerate(items):
        found.add(key, (key, number, size), size=size)

        kept = list(found)
        assert kept == sorted(kept, key=lambda item: item[1])
        assert found.size == sum(item[2] for item in kept) <= 100
        assert max(Counter(item[0] for item in kept).values(), default=0) <= 3
        assert len(kept) <= 8
        for one in "abc":
            assert found.of(one) == [item for item in kept if item[0] == one]
        assert found.keys == len({item[0] for item in kept})

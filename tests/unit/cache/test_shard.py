"""Parts of a kind by the hash of the uid."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.cache.shard import Shard, fnv1a


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0xCBF29CE484222325), ("a", 0xAF63DC4C8601EC8C), ("foobar", 0x85944171F73967E8)],
)
def test_the_hash_is_the_published_one(text: str, expected: int) -> None:
    """Server and client must agree on it to the bit; these are the vectors of its authors."""
    assert fnv1a(text) == expected


def test_the_last_range_ends_after_the_last_hash() -> None:
    """The end is not part of a range, so it needs one digit more."""
    assert Shard(1, 2).selector == (
        "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
    )
    assert Shard(0, 1).selector == (
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')"
    )


@given(st.uuids().map(str), st.integers(1, 12))
def test_every_object_is_in_exactly_one_shard(uid: str, count: int) -> None:
    """Two would do the work twice, none would never do it."""
    assert sum(Shard(index, count).owns(uid) for index in range(count)) == 1


@given(st.integers(1, 50))
def test_ranges_touch_and_cover_everything(count: int) -> None:
    """Also where the count does not divide the space."""
    shards = [Shard(index, count) for index in range(count)]

    assert shards[0].start == 0
    assert shards[-1].end == 1 << 64
    assert all(one.end == next_.start for one, next_ in pairwise(shards))


@pytest.mark.parametrize(("index", "count"), [(0, 0), (2, 2), (-1, 2)])
def test_a_shard_that_cannot_be_is_refused(index: int, count: int) -> None:
    """It would own nothing, silently."""
    with pytest.raises(ValueError, match="count from 0"):
        Shard(index, count)

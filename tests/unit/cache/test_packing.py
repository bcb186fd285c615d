"""Compression of cached objects."""

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from kubewright.cache import packing as module
from kubewright.cache.packing import Compress, Packing
from tests.unit.cache.objects import shop


def large(number: int) -> bytes:
    dice = random.Random(number)
    ports = [{"name": f"port-{n}", "value": dice.getrandbits(16)} for n in range(50)]
    return shop(f"shop-{number}", number + 1, spec={"ports": ports})


def filled(packing: Packing, count: int, *, of: int = 0) -> Packing:
    for number in range(count):
        packing.pack(large(number) if not of else b"x" * of, f"uid-{number}")
    return packing


@pytest.mark.parametrize(
    ("compress", "count", "size", "active"),
    [
        ("auto", 999, 0, False),
        ("auto", 1000, 0, True),
        ("auto", 3000, 1024, False),
        (True, 31, 0, False),
        (True, 32, 0, True),
        (True, 32, 10, True),
        (False, 3000, 0, False),
    ],
)
def test_packing_starts_where_it_pays(
    compress: Compress, count: int, size: int, active: bool
) -> None:
    """By itself only for many and large objects."""
    assert filled(Packing(compress), count, of=size).active is active


def test_an_object_that_changes_often_is_not_many_objects() -> None:
    """A lease is renewed a thousand times in an hour."""
    packing = Packing("auto")

    for number in range(3000):
        packing.pack(large(number), "the same uid")

    assert not packing.active


def test_what_was_packed_comes_back_to_the_byte() -> None:
    """And is much smaller in between."""
    packing = filled(Packing("auto"), 1000)
    raw = large(5000)

    packed, how = packing.pack(raw, "uid")

    assert how
    assert len(packed) < len(raw) / 3
    assert packing.unpack(packed, how) == raw


def test_what_was_left_as_it_is_stays_readable_after_packing_began() -> None:
    """Entries are packed again little by little."""
    packing = Packing("auto")
    raw = large(0)
    packed, how = packing.pack(raw, "uid")

    filled(packing, 1000)

    assert (packed, how) == (raw, 0)
    assert packing.unpack(packed, how) == raw


@pytest.mark.parametrize("raw", [b"{}", b"[" + b"1," * 500_000 + b"1]"])
def test_odd_sizes_come_back(raw: bytes) -> None:
    """Smaller than the dictionary helps, and larger than it by far."""
    packing = filled(Packing(compress=True), 40)

    assert packing.unpack(*packing.pack(raw, "uid")) == raw


@pytest.mark.parametrize("size", [1, 20, 300, 40_000])
def test_a_dictionary_is_made_of_any_samples(size: int) -> None:
    """Too small or too uniform for the training is no reason to fail."""
    packing = Packing(compress=True)
    for number in range(40):
        packing.pack(json.dumps("y" * size).encode(), f"uid-{number}")

    assert packing.active
    assert packing.unpack(*packing.pack(b'"zz"', "uid")) == b'"zz"'


def test_samples_are_let_go_once_the_dictionary_is_made() -> None:
    """They would keep objects alive that are long gone."""
    packing = filled(Packing("auto"), 1000)

    assert not packing._samples
    assert not packing._seen


def test_training_looks_at_a_bounded_part() -> None:
    """It runs on the event loop: with ten times the bytes it would be felt."""
    samples = [b"x" * 1000] * 10_000

    assert sum(map(len, module._within(samples, module._SAMPLED_BYTES))) <= module._SAMPLED_BYTES
    assert module._within([b"x" * 1_000_000], 10) == [b"x" * 1_000_000]


def test_several_threads_may_read_at_once() -> None:
    """Reconcilers that are no coroutines run in threads, and read the cache there."""
    packing = filled(Packing(compress=True), 40)
    raws = [large(number) for number in range(200)]
    packed = [packing.pack(raw, "uid") for raw in raws]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda one: packing.unpack(*one), packed * 5))

    assert found == raws * 5


def test_a_policy_that_does_not_exist_is_refused() -> None:
    """The message says which there are."""
    with pytest.raises(ValueError, match="give True, False or 'auto'"):
        Packing("zstd")  # type: ignore[arg-type]  # that it is refused is the point

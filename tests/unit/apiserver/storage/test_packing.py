"""Objects that were not written lately, in less room."""

import os

import pytest

from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.storage import Store, Stored, collection
from kubewright.apiserver.storage.packing import LARGEST, SMALLEST, Packer

PODS = GroupResource("", "pods")


def like_a_pod(number: int, size: int = 2_000) -> bytes:
    return b'{"metadata":{"name":"pod-%d"},"spec":{%b}}' % (
        number,
        b",".join(b'"field%d":"value %d"' % (n, n) for n in range(size // 25)),
    )


@pytest.mark.parametrize("size", [SMALLEST, 5_000, 100_000])
def test_what_was_packed_comes_back(size: int) -> None:
    """Whatever the size is, and whether or not it is the dictionary itself."""
    packer = Packer()

    for number in range(3):
        data = like_a_pod(number, size + 200)
        packed = packer.pack(data)

        assert packed is not None
        assert len(packed) < len(data) / 2
        assert packer.unpack(packed) == data


def test_objects_that_are_alike_take_a_tenth() -> None:
    """The first one is the dictionary for all others."""
    packer = Packer()
    packer.pack(like_a_pod(1))

    packed = packer.pack(like_a_pod(2))

    assert packed is not None
    assert len(packed) < len(like_a_pod(2)) / 10


@pytest.mark.parametrize(
    "data", [b"{}", b"x" * (LARGEST + 1), os.urandom(4_000)], ids=["small", "huge", "random"]
)
def test_what_gains_nothing_is_left_alone(data: bytes) -> None:
    """Packing would only cost time, at once and with every read."""
    assert Packer().pack(data) is None


def test_a_stored_object_shows_nothing_of_it() -> None:
    """Readers do not have to know; packing twice is the same as once."""
    packer, stored = Packer(), Stored("default/a", like_a_pod(1), 7)

    stored.pack(packer)
    stored.pack(packer)

    assert stored.data == like_a_pod(1)
    assert stored.size == len(like_a_pod(1))
    assert stored.decode()["metadata"] == {"name": "pod-1"}


def test_a_collection_keeps_the_newest_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old and new read the same, whichever of them are packed."""
    monkeypatch.setattr(collection, "HOT_BYTES", 20_000)
    store, spec = Store(), {f"field{n}": f"value {n}" for n in range(100)}

    for number in range(50):
        metadata = {"name": f"pod-{number:02d}", "namespace": "default"}
        store.put(PODS, {"metadata": metadata, "spec": spec})
    objects = store.collection(PODS).list()

    assert objects[0]._packer is not None
    assert objects[-1]._packer is None
    assert [item.decode()["metadata"]["name"] for item in objects] == [
        f"pod-{number:02d}" for number in range(50)
    ]
    assert all(item.decode()["spec"] == spec for item in objects)

from datetime import UTC, datetime

from kubewright.embedded.storage.classes import (
    BETA_CLASS,
    DEFAULT_CLASS,
    class_of,
    find_default,
    names_no_class,
    waits_for_consumer,
)
from kubewright.kinds.storage.v1 import StorageClass
from tests.unit.embedded.storage.samples import claim, storage_class, volume


def default(name: str, year: int) -> StorageClass:
    made = storage_class(name, annotations={DEFAULT_CLASS: "true"})
    made.metadata.creation_timestamp = datetime(year, 1, 1, tzinfo=UTC)
    return made


def test_the_newest_default_class_counts() -> None:
    """Of several, as admission has it; of equally old ones the first by name."""
    classes = [default("c", 2026), default("b", 2026), default("a", 2025), storage_class("z")]

    found = find_default(classes)

    assert found is not None
    assert found.metadata.name == "b"
    assert find_default([storage_class()]) is None


def test_the_old_annotation_still_names_a_class() -> None:
    """Some charts write it."""
    old = claim(storage_class_name=None)
    old.metadata.annotations[BETA_CLASS] = "slow"

    assert class_of(old) == "slow"
    assert not names_no_class(old)
    assert class_of(volume(storage_class_name="fast")) == "fast"


def test_no_name_and_an_empty_one_differ() -> None:
    """Who gives an empty one wants no class, not even the default."""
    assert names_no_class(claim(storage_class_name=None))
    assert not names_no_class(claim(storage_class_name=""))


def test_only_a_class_that_says_so_waits() -> None:
    """Claims of a class that is missing do not."""
    assert waits_for_consumer(storage_class(mode="WaitForFirstConsumer"))
    assert not waits_for_consumer(storage_class())
    assert not waits_for_consumer(None)

"""The records of what controllers did, kept and told."""

import pytest

from kubewright.api import ObjectKey, ObjectMeta
from kubewright.controller import Controller
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.runs import Recorded, RunRecord, Runs
from tests.unit.controller.world import Recorder, Shop, Silent
from tests.unit.runs.noted import notes


def test_nothing_is_recorded_until_somebody_wants_it() -> None:
    """Whoever does not ask pays one ``if`` for each run."""
    runs = Runs()
    seen: list[RunRecord] = []

    assert not runs.active
    runs.record()
    assert runs.active
    unsubscribe = runs.subscribe(seen.append)
    runs.stop()
    assert runs.active
    unsubscribe()
    unsubscribe()
    assert not runs.active


def test_the_records_of_one_object_are_found_by_the_object_or_its_key() -> None:
    """A test has the object, a command line its name."""
    runs = Runs()
    for number in range(3):
        runs.add(notes(run_id=str(number)))
        runs.add(notes("other", run_id=f"other-{number}"))
    shop = Shop(metadata=ObjectMeta(name="corner", namespace="default"))
    namesake = ConfigMap(metadata=ObjectMeta(name="corner", namespace="default"))

    assert [one.id for one in runs.for_(shop)] == ["0", "1", "2"]
    assert runs.for_(ObjectKey("default", "corner")) == runs.for_(shop)
    assert runs.for_("default/corner") == runs.for_(shop)
    assert runs.for_(namesake) == []
    assert runs.for_(shop, controller="nobody") == []


def test_records_are_selected_and_found_by_what_they_are_about() -> None:
    """In the order in which the runs ended."""
    runs = Runs()
    runs.add(notes(run_id="1"))
    runs.add(notes(run_id="2", controller="other"))
    runs.add(notes(run_id="3", namespace="elsewhere"))

    assert [one.id for one in runs] == ["1", "2", "3"]
    assert [one.id for one in runs.select(controller="other")] == ["2"]
    assert [one.id for one in runs.select(namespace="elsewhere", kind="Shop")] == ["3"]
    assert runs.select(kind="Pod") == []
    assert runs.find("2") is runs.select(controller="other")[0]
    assert runs.find("9") is None
    runs.clear()
    assert len(runs) == 0


def test_memory_is_bounded_while_objects_come_and_go() -> None:
    """An operator runs for months, and its objects have ever new names."""
    runs = Runs(most=500, most_bytes=400_000)
    for number in range(20_000):
        runs.add(notes(f"job-{number}"))

    assert len(runs) <= 500
    assert runs.size_in_bytes <= 400_000
    assert runs._ring.keys == len(runs)
    assert runs.for_("default/job-0") == []
    assert len(runs.for_("default/job-19999")) == 1


def test_of_each_object_the_last_are_kept() -> None:
    """One in a hot loop leaves the records of the others alone."""
    runs = Runs(most=10, each=3)
    runs.add(notes("quiet"))
    for number in range(100):
        runs.add(notes(run_id=str(number)))

    assert [one.id for one in runs.for_("default/corner")] == ["97", "98", "99"]
    assert len(runs.for_("default/quiet")) == 1


def test_a_listener_that_fails_is_told_of_the_next_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """And nobody else hears of its trouble but the log."""
    runs, seen = Runs(), list[str]()

    def fails(record: RunRecord) -> None:
        seen.append(record.id)
        raise RuntimeError("no")

    runs.subscribe(fails)
    runs.subscribe(lambda record: seen.append(f"other {record.id}"), kind="Shop")
    runs.add(notes(run_id="1"))
    runs.add(notes(run_id="2"))

    assert seen == ["1", "other 1", "2", "other 2"]
    assert "listener to runs failed" in caplog.text


def test_a_listener_that_would_never_be_awaited_is_refused() -> None:
    """It would look as if nothing ever ran."""

    async def listen(record: RunRecord) -> None:
        pass

    runs = Runs()
    with pytest.raises(TypeError, match="use follow"):
        runs.subscribe(listen)

    assert not runs.active


@pytest.mark.parametrize("wrong", [{"most": 0}, {"most_bytes": 0}, {"each": -1}])
def test_room_for_nothing_is_refused(wrong: dict[str, int]) -> None:
    """It would look as if nothing ever ran."""
    with pytest.raises(ValueError, match="at least 1 record"):
        Runs(**wrong)


def test_a_controller_is_recorded() -> None:
    """A manager tells by this who has runs at all."""
    controller = Controller("shop", Recorder(), sources=[Silent()])

    assert isinstance(controller, Recorded)
    assert not isinstance(Silent(), Recorded)

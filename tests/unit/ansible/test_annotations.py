"""What an object says about its own runs."""

from pathlib import Path

from kubewright.ansible.annotations import PREFIX, Annotations
from kubewright.ansible.settings import Settings
from kubewright.client.events import EventRecorder
from kubewright.kinds.core.v1 import Event
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import stall, watch


async def test_annotations_win_over_the_watch_and_the_settings(tmp_path: Path) -> None:
    """Each of the three."""
    annotations = {
        f"{PREFIX}reconcile-period": "1m",
        f"{PREFIX}max-runner-artifacts": "2",
        f"{PREFIX}verbosity": "5",
    }
    some, settings = watch(tmp_path, reconcile_period=5.0, verbosity=1), Settings(verbosity=3)
    async with EmbeddedServer() as server, server.client() as client:
        recorder = EventRecorder(client, "test")
        given = Annotations.of(stall(annotations=annotations), recorder)
        none = Annotations.of(stall(), recorder)

    assert (given.period(some, settings), none.period(some, settings)) == (60.0, 5.0)
    assert (given.artifacts(some), none.artifacts(some)) == (2, 20)
    assert (given.verbosity(some, settings), none.verbosity(some, settings)) == (5, 1)
    assert none.verbosity(watch(tmp_path), settings) == 3
    assert none.period(watch(tmp_path), Settings(reconcile_period=0)) is None


async def test_annotation_that_nobody_can_use_has_no_effect(tmp_path: Path) -> None:
    """Whoever wrote it learns of that by an event."""
    wrong = {
        f"{PREFIX}reconcile-period": "soon",
        f"{PREFIX}max-runner-artifacts": "all",
        f"{PREFIX}verbosity": "9",
    }
    async with EmbeddedServer() as server, server.client() as client:
        recorder = EventRecorder(client, "test")
        found = Annotations.of(stall(annotations=wrong, uid="1"), recorder)
        async with recorder:
            pass  # what it has not sent is sent in the end

        events = await client.list(Event, namespace="default")
        assert [one.reason for one in events] == ["BadAnnotation"] * 3

    assert found.verbosity(watch(tmp_path), Settings()) == 2
    assert found.artifacts(watch(tmp_path)) == 20


async def test_negative_period_is_none(tmp_path: Path) -> None:
    """It would be over again as soon as it has begun."""
    annotations = {f"{PREFIX}reconcile-period": "-5s"}
    async with EmbeddedServer() as server, server.client() as client:
        found = Annotations.of(stall(annotations=annotations), EventRecorder(client, "test"))

    assert found.period(watch(tmp_path), Settings(reconcile_period=60)) == 60

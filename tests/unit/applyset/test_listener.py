"""Who hears nothing needs to say nothing."""

from kubewright.applyset import Change, Failure, Listener, members_of
from kubewright.errors import ConfigError
from tests.unit.applyset.objects import config


class Changes(Listener):
    """Listens to changes, and leaves the rest as it is."""

    def __init__(self) -> None:
        self.heard: list[Change] = []

    def changed(self, change: Change) -> None:
        self.heard.append(change)


def test_a_listener_need_not_listen_to_everything() -> None:
    """What a listener does not define is heard by nobody, and nothing fails for it."""
    (name,) = (one.name for one in members_of([config()]))
    listener = Changes()

    listener.begin(1)
    listener.changed(Change("created", name))
    listener.failed(Failure(name, ConfigError("no")))
    listener.waiting([name], "gone")
    listener.progress(name, "0 of 1")

    assert listener.heard == [Change("created", name)]

from kubewright.client.watcher.states import Listing, Waiting, Watching


def test_states_are_values() -> None:
    """Two watches from one version are the same state, and a log line shows what it carries."""
    waiting = Waiting(Watching("5"), delay=1.5)

    assert waiting == Waiting(Watching("5"), delay=1.5)
    assert waiting.then != Listing()
    assert repr(waiting) == "Waiting(then=Watching(version='5'), delay=1.5)"

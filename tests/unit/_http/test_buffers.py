"""Where bytes arrive."""

import threading

from kubewright._http.buffers import BUFFERS


def test_connections_of_a_thread_share_and_others_do_not() -> None:
    """Each event loop has a thread, and two threads would write into each other's bytes."""
    others: list[memoryview] = []
    thread = threading.Thread(target=lambda: others.extend((BUFFERS.plain, BUFFERS.encrypted)))
    thread.start()
    thread.join()

    BUFFERS.plain[:5] = b"plain"
    BUFFERS.encrypted[:5] = b"coded"

    assert bytes(BUFFERS.plain[:5]) == b"plain"
    assert [bytes(other[:5]) for other in others] == [bytes(5), bytes(5)]

import pytest

from kubewright._aio import VirtualClock
from kubewright.embedded.node.logs import MemoryLog
from kubewright.embedded.node.pod.termination import termination_message
from kubewright.embedded.node.runtime import Exit
from kubewright.kinds.core.v1 import Container

FALLBACK = "FallbackToLogsOnError"


@pytest.mark.parametrize(
    ("policy", "how", "message"),
    [
        ("File", Exit(1, message="words"), "words"),
        ("File", Exit(1), ""),
        (FALLBACK, Exit(1), "a\nb\n"),
        (FALLBACK, Exit(0), ""),
        (FALLBACK, Exit(1, message="words"), "words"),
    ],
)
def test_last_words_come_from_the_file_or_from_the_log(
    policy: str, how: Exit, message: str
) -> None:
    """The log counts only after an error, and only if the author wants it."""
    log = MemoryLog(clock=VirtualClock())
    log.write("stdout", b"a\nb\n")
    container = Container(name="c", termination_message_policy=policy)

    assert termination_message(container, how, log) == message


def test_last_words_are_short() -> None:
    """The status of a pod is no place for novels."""
    log = MemoryLog(clock=VirtualClock())
    log.write("stdout", b"".join(b"%05d\n" % number for number in range(1000)))
    container = Container(name="c", termination_message_policy=FALLBACK)

    assert len(termination_message(container, Exit(1, message="x" * 9999), log)) == 4096
    assert termination_message(container, Exit(1), log).endswith("00999\n")
    assert len(termination_message(container, Exit(1), log)) <= 2048
    assert termination_message(container, Exit(1), None) == ""

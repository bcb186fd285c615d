from datetime import UTC, datetime

import pytest

from kubewright._aio import VirtualClock
from kubewright.apiserver.meta.status import StatusError
from kubewright.embedded.kubelet.options import log_options, ports, remote_options
from kubewright.embedded.node.access import AccessError, LogOptions

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def read(query: str) -> LogOptions:
    return log_options(query, pod="web", clock=VirtualClock(start=NOON))


def test_every_option_of_a_log_is_read() -> None:
    """Their names are those of PodLogOptions."""
    found = read("follow=true&previous=1&timestamps=true&tailLines=0&limitBytes=5&sinceSeconds=60")

    assert found == LogOptions(
        follow=True, previous=True, timestamps=True, tail_lines=0,
        since=datetime(2026, 1, 1, 11, 59, tzinfo=UTC), limit_bytes=5,
    )  # fmt: skip
    assert read("sinceTime=2026-01-01T10%3A00%3A00Z").since == NOON.replace(hour=10)
    assert read("") == LogOptions()
    assert read("follow=false") == LogOptions()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0"),
        ("limitBytes=0", "limitBytes: Invalid value: 0: must be greater than 0"),
        ("sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0"),
        ("sinceSeconds=1&sinceTime=2026-01-01T10:00:00Z", "at most one of `sinceTime` or"),
        ("tailLines=many", "tailLines: 'many' is not a number"),
        ("sinceTime=yesterday", "sinceTime: cannot read time 'yesterday'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(query: str, text: str) -> None:
    """In the words of Kubernetes, where it has some."""
    with pytest.raises(StatusError) as caught:
        read(query)

    assert text in caught.value.message
    assert caught.value.code in (400, 422)


def test_the_options_of_a_command_are_read_in_both_dialects() -> None:
    """The API server has one set of names, and asks a kubelet in another."""
    ours = remote_options("command=sh&command=-c&command=a+b&stdin=true&stdout=true&stderr=true")
    kubelets = remote_options("command=sh&input=1&output=1&error=1&tty=1", kubelet=True)

    assert ours.command == ("sh", "-c", "a b")
    assert (ours.stdin, ours.stdout, ours.stderr, ours.tty) == (True, True, True, False)
    assert (kubelets.stdin, kubelets.stdout, kubelets.tty) == (True, True, True)
    assert not kubelets.stderr  # a terminal has one output


def test_a_command_without_any_stream_is_refused() -> None:
    """Nobody would learn anything of it."""
    with pytest.raises(AccessError, match="at least 1 of stdin, stdout, stderr"):
        remote_options("command=ls").check()


def test_ports_come_alone_or_together() -> None:
    """Anything that is not a port is refused."""
    assert ports("ports=80&ports=81,82&x=1") == [80, 81, 82]
    for query in ("ports=0", "ports=65536", "ports=http", "ports=%C2%B2"):
        with pytest.raises(AccessError):
            ports(query)

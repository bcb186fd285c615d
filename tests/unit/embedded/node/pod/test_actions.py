from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.embedded.node.access import PodConnection
from kubewright.embedded.node.pod.actions import Outcome, perform, port_number, timeout_message
from kubewright.embedded.node.runtime import ContainerError
from kubewright.kinds.core.v1 import (
    Container,
    ContainerPort,
    ExecAction,
    GRPCAction,
    HTTPGetAction,
    HTTPHeader,
    LifecycleHandler,
    Probe,
    SleepAction,
    TCPSocketAction,
)
from tests.unit.embedded.node.doubles import AContainer, ASandbox, target

NAMED = Container(name="main", ports=[ContainerPort(name="web", container_port=8080)])


@pytest.mark.parametrize(("code", "ok"), [(0, True), (1, False)])
async def test_a_command_is_judged_by_its_exit_code(code: int, ok: bool) -> None:
    """Its output explains a failure."""
    action = Probe(exec=ExecAction(command=["check", "it"]))
    container = AContainer(output=b"no table\n", code=code)

    outcome = await perform(action, target(handle=container), clock=VirtualClock())

    assert outcome == Outcome(ok, "no table\n")
    assert container.commands == [["check", "it"]]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", Outcome(True)),
        (b"HTTP/1.1 302 Found\r\n\r\n", Outcome(True)),
        (b"HTTP/1.1 503 No\r\n\r\n", Outcome(False, "HTTP probe failed with statuscode: 503")),
        (b"", Outcome(False, 'Get "http://127.1.0.1:8080/healthz": EOF')),
        (
            b"SSH-2.0\r\n\r\n",
            Outcome(
                False,
                'Get "http://127.1.0.1:8080/healthz": net/http: HTTP/1.x transport connection'
                ' broken: malformed HTTP response "SSH-2.0"',
            ),
        ),
        (
            None,
            Outcome(
                False,
                'Get "http://127.1.0.1:8080/healthz": dial tcp 127.1.0.1:8080:'
                " connect: connection refused",
            ),
        ),
    ],
)
async def test_an_http_request_is_judged_by_its_status(
    answer: bytes | None, outcome: Outcome
) -> None:
    """Redirects are well; what goes wrong is said as the kubelet says it."""
    action = Probe(http_get=HTTPGetAction(port="web", path="/healthz"))
    place = target(NAMED, sandbox=ASandbox(answer))

    assert await perform(action, place, clock=VirtualClock()) == outcome


async def test_an_http_request_is_what_its_author_wrote() -> None:
    """Headers, host and TLS included."""
    headers = [HTTPHeader(name="Host", value="shop"), HTTPHeader(name="X-A", value="1")]
    action = Probe(
        http_get=HTTPGetAction(port=443, host="10.0.0.1", scheme="HTTPS", http_headers=headers)
    )
    sandbox = ASandbox()

    await perform(action, target(sandbox=sandbox), clock=VirtualClock())

    assert sandbox.asked == [(443, "10.0.0.1", True)]
    lines = sandbox.connections[0].sent.split(b"\r\n")
    assert lines[0] == b"GET / HTTP/1.1"
    assert {b"Host: shop", b"X-A: 1", b"User-Agent: kube-probe/1.37"} <= set(lines)


async def test_the_headers_of_an_author_replace_those_of_the_node() -> None:
    """However they are spelled; an empty Accept is none."""
    given = {"host": "shop", "user-agent": "me", "Accept": ""}
    headers = [HTTPHeader(name=name, value=value) for name, value in given.items()]
    action = Probe(http_get=HTTPGetAction(port=80, http_headers=headers))
    sandbox = ASandbox()

    await perform(action, target(sandbox=sandbox), clock=VirtualClock())

    lines = sandbox.connections[0].sent.decode().split("\r\n")
    assert lines == [
        "GET / HTTP/1.1", "host: shop", "user-agent: me", "Connection: close", "", "",
    ]  # fmt: skip


class Redirecting(ASandbox):
    """A pod whose answers follow one another."""

    def __init__(self, *answers: bytes) -> None:
        super().__init__()
        self._answers = list(answers)

    async def connect(self, port: int, *, host: str = "", tls: bool = False) -> PodConnection:
        self.answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return await super().connect(port, host=host, tls=tls)


def to(location: str) -> bytes:
    """Return an answer that leads elsewhere."""
    return f"HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n".encode()


FINE, BAD = b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 500 No\r\n\r\n"


@pytest.mark.parametrize(
    ("answers", "ok", "asked"),
    [
        ([to("/login?a=1"), FINE], True, [8080, 8080]),
        ([to("/login"), BAD], False, [8080, 8080]),
        ([to("https://127.1.0.1/"), BAD], False, [8080, 443]),
        ([to("http://elsewhere.example/"), BAD], True, [8080]),
        ([to("/again")], False, [8080] * 10),
    ],
)
async def test_a_probe_follows_redirects_within_its_pod(
    answers: list[bytes], ok: bool, asked: list[int]
) -> None:
    """A start page that leads to a broken one is not well; what others do is not asked for."""
    sandbox = Redirecting(*answers)
    action = Probe(http_get=HTTPGetAction(port="web"))

    outcome = await perform(action, target(NAMED, sandbox=sandbox), clock=VirtualClock())

    assert outcome.ok is ok
    assert [port for port, _, _ in sandbox.asked] == asked
    if len(asked) == 10:
        assert outcome.message == 'Get "/again": stopped after 10 redirects'


async def test_a_path_needs_no_slash() -> None:
    """Its author may have forgotten it."""
    sandbox = ASandbox()
    action = Probe(http_get=HTTPGetAction(port=80, path="healthz?full=1"))

    await perform(action, target(sandbox=sandbox), clock=VirtualClock())

    assert sandbox.connections[0].sent.startswith(b"GET /healthz?full=1 HTTP/1.1\r\n")


async def test_a_hook_by_http_is_done_whatever_the_answer_is() -> None:
    """It was heard, and that is all that a hook is for."""
    action = LifecycleHandler(http_get=HTTPGetAction(port=80))
    sandbox = ASandbox(b"HTTP/1.1 500 No\r\n\r\n")

    outcome = await perform(action, target(sandbox=sandbox), clock=VirtualClock())

    assert outcome == Outcome(True)
    assert b"User-Agent: kube-lifecycle/1.37" in sandbox.connections[0].sent


@pytest.mark.parametrize(
    "action",
    [
        Probe(http_get=HTTPGetAction(port="nope")),
        Probe(tcp_socket=TCPSocketAction(port="nope")),
        Probe(exec=ExecAction(command=["nope"])),
    ],
)
async def test_what_cannot_be_asked_is_an_error_and_no_answer(action: Probe) -> None:
    """A typing error in a probe says nothing about the container."""

    class Empty(AContainer):
        async def execute(self, *args: Any, **kwargs: Any) -> Any:
            raise ContainerError("StartError", 'exec: "nope": executable file not found in $PATH')

    outcome = await perform(action, target(handle=Empty()), clock=VirtualClock())

    assert (outcome.ok, outcome.errored) == (False, True)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            Probe(http_get=HTTPGetAction(port="web", path="/x")),
            (
                'Get "http://127.1.0.1:8080/x": context deadline exceeded'
                " (Client.Timeout exceeded while awaiting headers)"
            ),
        ),
        (Probe(tcp_socket=TCPSocketAction(port=80)), "dial tcp 127.1.0.1:80: i/o timeout"),
        (
            Probe(exec=ExecAction(command=["sleep", "9"])),
            'command timed out: "sleep 9" timed out after 3s',
        ),
    ],
)
def test_a_probe_that_takes_too_long_says_so_in_its_own_way(action: Probe, message: str) -> None:
    """As the kubelet and its libraries do."""
    assert timeout_message(action, target(NAMED), 3) == message


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (b"", Outcome(True)),
        (None, Outcome(False, "dial tcp 127.1.0.1:80: connect: connection refused")),
    ],
)
async def test_a_port_is_well_if_it_takes_connections(
    answer: bytes | None, outcome: Outcome
) -> None:
    """Whatever it speaks."""
    action = Probe(tcp_socket=TCPSocketAction(port=80))

    assert await perform(action, target(sandbox=ASandbox(answer)), clock=VirtualClock()) == outcome


async def test_a_hook_may_sleep() -> None:
    """The simplest way to let a load balancer forget a pod."""
    clock = VirtualClock()
    action = LifecycleHandler(sleep=SleepAction(seconds=7))

    assert await clock.run(perform(action, target(), clock=clock)) == Outcome(True)
    assert clock.monotonic() == 7


async def test_grpc_of_a_process_is_refused_clearly() -> None:
    """Rather than taken for well."""
    action = Probe(grpc=GRPCAction(port=1))

    outcome = await perform(action, target(), clock=VirtualClock())

    assert not outcome.ok
    assert "grpc is not" in outcome.message


def test_ports_have_names() -> None:
    """Numbers in quotes are numbers."""
    assert [port_number(port, NAMED) for port in ("web", "81", 82)] == [8080, 81, 82]
    with pytest.raises(ValueError, match="couldn't find port: x in container main"):
        port_number("x", NAMED)

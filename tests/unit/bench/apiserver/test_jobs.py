"""The requests that both servers get."""

import json

import pytest

from bench.apiserver import jobs
from bench.apiserver.wire import Target

TARGET = Target(url="https://127.0.0.1:6443", ca="ca.crt", token="secret")


def parts(request: bytes) -> tuple[str, dict[str, str], bytes]:
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return first, dict(line.split(": ", 1) for line in lines), body


@pytest.mark.parametrize(
    ("verb", "first"),
    [
        ("create", "POST /api/v1/namespaces/bench/pods HTTP/1.1"),
        ("get", "GET /api/v1/namespaces/bench/pods/pod-00007 HTTP/1.1"),
        ("patch", "PATCH /api/v1/namespaces/bench/pods/pod-00007 HTTP/1.1"),
        ("update", "PUT /api/v1/namespaces/bench/pods/pod-00007 HTTP/1.1"),
        ("status", "PUT /api/v1/namespaces/bench/pods/pod-00007/status HTTP/1.1"),
        ("list?limit=500", "GET /api/v1/pods?limit=500 HTTP/1.1"),
    ],
)
def test_each_verb_asks_for_its_pods(verb: str, first: str) -> None:
    """Whoever asks in parts does not ask for the same pods again."""
    made = jobs.requests(TARGET, verb, 7, 3)

    line, headers, body = parts(made[0])
    assert len(made) == 3
    assert line == first
    assert headers["Authorization"] == "Bearer secret"
    assert int(headers.get("Content-Length", "0")) == len(body)


def test_pods_are_created_as_controllers_do() -> None:
    """What only a server sets is not sent, and no owner that a garbage collector would miss."""
    _, _, body = parts(jobs.requests(TARGET, "create", 0, 1)[0])

    pod = json.loads(body)
    assert pod["metadata"].keys() == {"name", "generateName", "namespace", "labels", "annotations"}
    assert "status" not in pod

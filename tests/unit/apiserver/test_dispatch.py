"""Which endpoint answers, and what is said when none does."""

import pytest

from kubewright.apiserver.dispatch import VERBS, endpoint_for
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CORE, FOOS, MAPS, PODS, ask, define, named

NO_PATH = "the server could not find the requested resource"
NO_METHOD = "the server does not allow this method on the requested resource"


def test_every_verb_has_its_endpoint() -> None:
    """The table names modules and functions that exist."""
    assert len({endpoint_for(verb) for verb in VERBS}) == len(VERBS)


@pytest.mark.parametrize(
    ("method", "path", "code", "message"),
    [
        ("GET", f"{CORE}/nosuch", 404, NO_PATH),
        ("GET", "/api/v9/pods", 404, NO_PATH),
        ("GET", "/apis/apps/v9/deployments", 404, NO_PATH),
        ("GET", f"{PODS}/a/nosuch", 404, NO_PATH),
        ("GET", f"{CORE}/nodes", 404, NO_PATH),
        ("GET", "/api/v1/pods/a", 404, NO_PATH),
        ("POST", f"{MAPS}/a", 405, NO_METHOD),
        ("PUT", MAPS, 405, NO_METHOD),
        ("PATCH", MAPS, 405, NO_METHOD),
        ("DELETE", "/api/v1/configmaps", 405, NO_METHOD),
        ("POST", f"{PODS}/a/status", 405, NO_METHOD),
        ("DELETE", f"{PODS}/a/status", 405, NO_METHOD),
        ("OPTIONS", MAPS, 405, NO_METHOD),
        ("FOO", f"{MAPS}/a", 405, NO_METHOD),
        ("GET", "/apis/authorization.k8s.io/v1/subjectaccessreviews", 405, NO_METHOD),
        ("POST", "/healthz", 405, NO_METHOD),
    ],
)
async def test_what_is_not_there_says_so_as_kubernetes_does(
    server: APIServer, method: str, path: str, code: int, message: str
) -> None:
    """Clients tell a missing kind from a missing object by it."""
    answer = await ask(server, method, path, named("a"))

    assert (answer.status, answer.message) == (code, message)


@pytest.mark.parametrize(
    "path", ["/apis/none.io/v1/foos", "/apis/none.io", "/apis/example.com/v9/foos"]
)
async def test_a_group_that_nobody_serves_is_a_page_not_found(server: APIServer, path: str) -> None:
    """Plain text, as the outermost handler of a real server answers."""
    await define(server)

    answer = await ask(server, "GET", path)

    assert (answer.status, answer.body) == (404, b"404 page not found\n")
    assert answer.content_type.startswith("text/plain")


async def test_warnings_are_quoted_whatever_they_contain(server: APIServer) -> None:
    """A header must stay one header: no line ends, and quotes escaped."""
    body = b'{"metadata":{"name":"a"},"x\\"\\\\\\r\\nSet-Cookie: y\\u00e9":1}'

    (warning,) = (await ask(server, "POST", MAPS, body)).warnings

    assert warning.startswith('299 - "unknown field \\"x\\"')
    assert "\\\\" in warning
    assert not {"\r", "\n"} & set(warning)
    assert "é" in warning


async def test_head_answers_like_get(server: APIServer) -> None:
    """The front leaves the body out."""
    await define(server)

    assert (await ask(server, "HEAD", FOOS)).status == 200
    assert (await ask(server, "HEAD", f"{FOOS}/none")).status == 404

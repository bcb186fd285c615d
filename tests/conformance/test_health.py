"""Health, version and metrics: what probes and dashboards ask."""

import pytest

from tests.conformance.wire import Wire


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz"])
def test_a_healthy_server_says_ok(api: Wire, path: str) -> None:
    """In two letters, as text."""
    reply = api.get(path)

    assert (reply.status, reply.body) == (200, b"ok")
    assert reply.headers["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz"])
def test_verbose_lists_the_checks(api: Wire, path: str) -> None:
    """One line each, with a plus if it is well."""
    lines = api.get(path, verbose="true").body.decode().splitlines()

    assert "[+]ping ok" in lines
    assert lines[-1].endswith("check passed")


def test_one_check_can_be_asked(api: Wire) -> None:
    """By its name."""
    assert api.get("/healthz/ping").body == b"ok"
    assert api.get("/healthz/nonsense").status == 404


def test_the_version_says_what_it_is(api: Wire) -> None:
    """Kubectl version prints it."""
    found = api.get("/version").ok()

    assert found["gitVersion"].startswith(f"v{found['major']}.{found['minor'].rstrip('+')}.")
    assert {"gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"} <= set(
        found
    )


def test_metrics_are_for_prometheus(api: Wire) -> None:
    """Requests are counted by verb, resource and code."""
    api.get("/api/v1/namespaces").ok()

    text = api.get("/metrics").body.decode()

    assert "# TYPE apiserver_request_total counter" in text
    assert "apiserver_request_total{" in text


def test_an_unknown_path_is_a_plain_404(api: Wire) -> None:
    """Not every path is an API."""
    reply = api.get("/nonsense")

    assert reply.status == 404


@pytest.mark.usefixtures("own_server")
def test_health_and_version_need_no_user(api: Wire) -> None:
    """A probe has no token; the rest of the API wants one."""
    stranger = api.as_user(None)

    assert stranger.get("/healthz").status == 200
    assert stranger.get("/version").status == 200
    assert stranger.get("/api/v1/namespaces").status in (401, 403)


def test_the_index_lists_paths(api: Wire) -> None:
    """The root of the server."""
    paths = api.get("/").ok()["paths"]

    assert {"/api", "/api/v1", "/apis", "/healthz", "/version"} <= set(paths)

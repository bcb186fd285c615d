"""What a URL asks for."""

import pytest

from kubewright.apiserver.wire.route import Route, is_true, parse_query, parse_route


@pytest.mark.parametrize(
    ("method", "path", "want"),
    [
        ("GET", "/api/v1/pods", ("list", "", "v1", "", "pods", "", "")),
        ("GET", "/api/v1/namespaces", ("list", "", "v1", "", "namespaces", "", "")),
        ("GET", "/api/v1/namespaces/a", ("get", "", "v1", "a", "namespaces", "a", "")),
        (
            "PUT",
            "/api/v1/namespaces/a/status",
            ("update", "", "v1", "a", "namespaces", "a", "status"),
        ),
        (
            "PUT",
            "/api/v1/namespaces/a/finalize",
            ("update", "", "v1", "a", "namespaces", "a", "finalize"),
        ),
        ("POST", "/api/v1/namespaces/a/pods", ("create", "", "v1", "a", "pods", "", "")),
        ("HEAD", "/api/v1/namespaces/a/pods/b", ("get", "", "v1", "a", "pods", "b", "")),
        (
            "PATCH",
            "/apis/apps/v1/namespaces/a/deployments/b/scale",
            ("patch", "apps", "v1", "a", "deployments", "b", "scale"),
        ),
        ("DELETE", "/apis/g/v1/foos", ("deletecollection", "g", "v1", "", "foos", "", "")),
        ("DELETE", "/apis/g/v1/foos/a", ("delete", "g", "v1", "", "foos", "a", "")),
        ("GET", "/api/v1/watch/namespaces/a/pods", ("watch", "", "v1", "a", "pods", "", "")),
        ("GET", "/api/v1/watch/pods", ("watch", "", "v1", "", "pods", "", "")),
        ("OPTIONS", "/api/v1/pods", ("", "", "v1", "", "pods", "", "")),
        ("GET", "//api//v1/pods/", ("list", "", "v1", "", "pods", "", "")),
        ("GET", "/apis/g/v1/foos/a%2Fb%20c", ("get", "g", "v1", "", "foos", "a/b c", "")),
        ("GET", "/apis/g/v1/foos/%ff", ("get", "g", "v1", "", "foos", "\ufffd", "")),
    ],
)
def test_paths_of_resources_are_taken_apart(method: str, path: str, want: tuple[str, ...]) -> None:
    """The parts are what access rules and endpoints go by."""
    route = parse_route(method, path, {})

    assert route.is_resource
    found = (route.verb, route.group, route.version, route.namespace, route.resource)
    assert (*found, route.name, route.subresource) == want


@pytest.mark.parametrize(
    "path", ["/", "/api", "/api/v1", "/apis/apps/v1", "/healthz/ping", "/x/y/z"]
)
def test_other_paths_are_no_resources(path: str) -> None:
    """They are asked for by path and method."""
    assert parse_route("GET", path, {}) == Route("get", path)


def test_what_follows_a_subresource_is_kept_for_proxies() -> None:
    """A proxied program has paths of its own."""
    route = parse_route("GET", "/api/v1/namespaces/a/pods/b/proxy/x/y", {})

    assert (route.subresource, route.rest) == ("proxy", "x/y")


def test_a_watch_may_be_asked_for_by_parameter() -> None:
    """Of collections: one object is watched by a field selector, or at the older path."""
    query = {"watch": "1"}

    assert parse_route("GET", "/api/v1/pods", query).verb == "watch"
    assert parse_route("GET", "/api/v1/namespaces/a/pods/b", query).verb == "get"
    assert parse_route("GET", "/api/v1/watch/namespaces/a/pods/b", {}).verb == "watch"
    assert parse_route("DELETE", "/api/v1/watch/namespaces/a/pods/b", {}).verb == ""
    assert parse_route("GET", "/api/v1/namespaces/a/pods/b/log", query).verb == "get"
    assert parse_route("POST", "/api/v1/namespaces/a/pods", query).verb == "create"


def test_the_first_of_equal_parameters_counts() -> None:
    """As in Kubernetes; odd encodings are read, not refused."""
    assert parse_query("") == {}
    assert parse_query("a=1&a=2&b=&c&d=%ff%20+") == {"a": "1", "b": "", "c": "", "d": "\ufffd  "}


def test_booleans_are_read_as_kubernetes_reads_them() -> None:
    """Anything is true but what says no."""
    assert [is_true(text) for text in ("1", "true", "x")] == [True] * 3
    assert [is_true(text) for text in ("", "0", "false", "FALSE")] == [False] * 4

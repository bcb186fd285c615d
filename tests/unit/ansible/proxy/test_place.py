"""What a request is about, as its path says."""

import pytest

from kubewright._serve.messages import Request
from kubewright.ansible.proxy.place import Place, attempt_for, is_true, place_of


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/api/v1/namespaces/a/pods/b/log", Place("", "v1", "pods", "a", "b", "log")),
        ("/api/v1/namespaces/a/pods", Place("", "v1", "pods", "a")),
        ("/api/v1/namespaces/a", Place("", "v1", "namespaces", "", "a")),
        ("/api/v1/namespaces/a/status", Place("", "v1", "namespaces", "", "a", "status")),
        ("/api/v1/namespaces", Place("", "v1", "namespaces")),
        ("/apis/a.b/v1/namespaces/a/shops/b%2Fc", Place("a.b", "v1", "shops", "a", "b/c")),
        ("/apis/a.b/v1/shops/c/status", Place("a.b", "v1", "shops", "", "c", "status")),
        ("/api/v1", None),
        ("/apis/apps/v1", None),
        ("/version", None),
    ],
)  # fmt: skip
def test_path_names_a_place(path: str, wanted: Place | None) -> None:
    """As API servers read it."""
    assert place_of(path) == wanted


def test_events_reviews_and_subresources_belong_to_nobody() -> None:
    """An event with an owner would be watched, and there are many."""
    assert not Place("", "v1", "events", "a", "b").is_child
    assert not Place("authorization.k8s.io", "v1", "subjectaccessreviews").is_child
    assert not Place("", "v1", "pods", "a", "b", "exec").is_child
    assert Place("", "v1", "pods", "a").is_child


@pytest.mark.parametrize(
    ("method", "path", "query", "verb"),
    [
        ("GET", "/api/v1/pods", "", "list"),
        ("GET", "/api/v1/pods", "watch=1", "watch"),
        ("GET", "/api/v1/namespaces/a/pods/b", "", "get"),
        ("DELETE", "/api/v1/namespaces/a/pods", "", "deletecollection"),
        ("PATCH", "/api/v1/namespaces/a/pods/b", "", "patch"),
        ("GET", "/version", "", "get"),
    ],
)
def test_requests_have_the_verbs_of_rbac(method: str, path: str, query: str, verb: str) -> None:
    """For messages and records."""
    request = Request(method, path, query)

    assert attempt_for(request, place_of(path)).verb == verb


def test_parameters_are_on_unless_they_say_no() -> None:
    """An empty one counts, as in Go's clients."""
    assert is_true(Request("GET", "/", "watch"), "watch")
    assert is_true(Request("GET", "/", "dryRun=All"), "dryRun")
    assert not is_true(Request("GET", "/", "watch=false"), "watch")
    assert not is_true(Request("GET", "/"), "watch")

"""Requests as values: paths, queries, and what is refused before it is sent."""

import pytest

from kubewright.api import requests
from kubewright.api.kind import RESTMapping
from kubewright.api.requests import Place, WriteOptions

PODS = RESTMapping("", "v1", "Pod", "pods")
NODES = RESTMapping("", "v1", "Node", "nodes", namespaced=False)
DEPLOYMENTS = RESTMapping("apps", "v1", "Deployment", "deployments")
NONE = WriteOptions()


@pytest.mark.parametrize(
    ("place", "target"),
    [
        (Place(PODS, "shop", "web"), "/api/v1/namespaces/shop/pods/web"),
        (Place(PODS, "shop", "web", "log"), "/api/v1/namespaces/shop/pods/web/log"),
        (Place(NODES, "", "n1"), "/api/v1/nodes/n1"),
        (Place(DEPLOYMENTS, "a", "b"), "/apis/apps/v1/namespaces/a/deployments/b"),
    ],
)
def test_core_and_named_groups_have_their_own_roots(place: Place, target: str) -> None:
    """/api is older than groups; everything else is under /apis."""
    assert requests.get(place).target == target


def test_an_attempt_says_what_was_tried_in_the_words_of_rbac() -> None:
    """Errors print it, and the missing rule is made from it."""
    request = requests.get(Place(DEPLOYMENTS, "shop", "web", "status"))

    assert str(request.attempt) == "get deployments.apps/status 'web' in namespace 'shop'"


@pytest.mark.parametrize(
    ("request_", "method", "verb"),
    [
        (requests.get(Place(PODS, "a", "b")), "GET", "get"),
        (requests.list_(Place(PODS)), "GET", "list"),
        (requests.watch(Place(PODS)), "GET", "watch"),
        (requests.create(Place(PODS, "a"), b"{}", NONE), "POST", "create"),
        (requests.update(Place(PODS, "a", "b"), b"{}", NONE), "PUT", "update"),
        (requests.patch(Place(PODS, "a", "b"), b"", NONE, patch_type="json"), "PATCH", "patch"),
        (requests.delete(Place(PODS, "a", "b")), "DELETE", "delete"),
        (requests.delete_all(Place(PODS, "a")), "DELETE", "deletecollection"),
    ],
)
def test_each_verb_has_its_method(request_: requests.Request, method: str, verb: str) -> None:
    """RBAC knows verbs, HTTP knows methods; both must be right."""
    assert (request_.method, request_.attempt.verb) == (method, verb)


def test_what_is_not_said_is_not_in_the_query() -> None:
    """A server that is too old for a parameter must not see it."""
    assert requests.selection() == []
    assert requests.list_(Place(PODS), requests.selection()).target == "/api/v1/pods"


def test_a_query_is_escaped() -> None:
    """Selectors hold commas, spaces, brackets and signs of equality."""
    query = requests.selection(labels="a in (b,c),d!=e&f", limit=5, continue_="x+/=")

    assert requests.list_(Place(PODS), query).target == (
        "/api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29%2Cd%21%3De%26f&limit=5&continue=x%2B%2F%3D"
    )


def test_a_watch_says_so_first() -> None:
    """The same path without it is a list."""
    query = requests.selection(
        bookmarks=True, send_initial_events=True, resource_version_match="NotOlderThan"
    )

    assert requests.watch(Place(PODS), query).target == (
        "/api/v1/pods?watch=true&resourceVersionMatch=NotOlderThan"
        "&allowWatchBookmarks=true&sendInitialEvents=true"
    )


def test_a_part_of_a_collection_is_asked_for_by_its_selector() -> None:
    """Of the objects, or of each of them."""
    query = requests.selection(shard_selector="shardRange(object.metadata.uid, '0x0', '0x8')")

    asked = requests.list_(Place(PODS), query, accept=requests.METADATA_LIST)

    assert asked.target.startswith("/api/v1/pods?shardSelector=shardRange%28object.metadata.uid")
    assert asked.accept.startswith("application/json;as=PartialObjectMetadataList;")
    assert requests.watch(Place(PODS)).accept == "application/json"


def test_write_options_become_parameters() -> None:
    """In the words of the API."""
    options = WriteOptions(dry_run=True, field_manager="a b", field_validation="Strict")

    target = requests.create(Place(PODS, "shop"), b"{}", options).target

    assert target.endswith("?dryRun=All&fieldManager=a%20b&fieldValidation=Strict")


@pytest.mark.parametrize("name", [".", "..", "a/b", "a%2Fb", "/"])
def test_a_name_that_is_no_path_segment_is_refused(name: str) -> None:
    """It would reach another object, or another kind."""
    with pytest.raises(ValueError, match="not a name"):
        requests.get(Place(PODS, "shop", name))
    with pytest.raises(ValueError, match="not a namespace"):
        requests.get(Place(PODS, name, "web"))


@pytest.mark.parametrize(
    ("name", "segment"),
    [("system:node", "system:node"), ("é b", "%C3%A9%20b"), ("a?b#c", "a%3Fb%23c")],
)
def test_other_characters_are_escaped(name: str, segment: str) -> None:
    """RBAC objects may be named nearly anything."""
    assert requests.get(Place(PODS, "shop", name)).target.endswith(f"/pods/{segment}")


def test_a_write_without_a_namespace_is_refused() -> None:
    """Nobody can write to all namespaces at once."""
    with pytest.raises(ValueError, match="pods live in namespaces: say which one"):
        requests.create(Place(PODS), b"{}", NONE)


def test_a_request_for_one_object_needs_its_name() -> None:
    """Without it the path is the collection's, and a delete would delete all of it."""
    for make in (requests.get, requests.delete):
        with pytest.raises(ValueError, match="The name is empty"):
            make(Place(PODS, "shop"))

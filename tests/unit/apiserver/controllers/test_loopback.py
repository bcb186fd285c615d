"""How controllers ask their own server."""

from kubewright.apiserver.controllers.loopback import Loopback, path_of
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import define, definition


async def test_paths_are_those_of_the_stored_version(server: APIServer) -> None:
    """With the name escaped, since roles may be called nearly anything."""
    loopback = Loopback(server.handle, server.registry, "test")
    roles = GroupResource("rbac.authorization.k8s.io", "clusterroles")

    assert loopback.path(GroupResource("", "pods"), "a", "b") == "/api/v1/namespaces/a/pods/b"
    assert loopback.path(GroupResource("", "pods"), "") == "/api/v1/pods"
    assert loopback.path(roles, "", "a:b/ü") == (
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab%2F%C3%BC"
    )
    assert loopback.path(GroupResource("none", "x"), "", "") is None


async def test_a_stored_version_that_is_not_served_is_asked_for_in_another(
    server: APIServer,
) -> None:
    """Objects of such a kind must be deletable, too."""
    version = definition()["spec"]["versions"][0]
    stored = {**version, "name": "v2", "served": False}
    await define(server, versions=[{**version, "storage": False}, stored])

    path = Loopback(server.handle, server.registry, "test").path(
        GroupResource("example.com", "foos"), "a", "b"
    )

    assert path == "/apis/example.com/v1/namespaces/a/foos/b"


async def test_answers_come_as_from_anywhere(server: APIServer) -> None:
    """The agent says which controller it was."""
    loopback = Loopback(server.handle, server.registry, "test")
    pods = server.registry.groups[""]["v1"]["pods"]

    answer = await loopback.ask("GET", f"{path_of(pods, 'default')}?limit=1")

    assert answer.status == 200
    assert server.audit.events()[-1].user_agent == "kubewright/test"

"""What every cluster has."""

from kubewright.apiserver import bootstrap
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.serving import Authorities
from kubewright.apiserver.storage import Store
from tests.unit.apiserver.asking import MERGE, ask

NAMESPACES = GroupResource("", "namespaces")
NOW = "2026-01-01T00:00:00Z"


def test_a_new_cluster_has_namespaces_roles_priorities_and_its_service() -> None:
    """Each with an identity of its own."""
    store = Store()

    bootstrap.fill(store, NOW)

    names = [stored.key for stored in store.collection(NAMESPACES).list()]
    assert names == list(bootstrap.NAMESPACES)
    assert store.find_object(GroupResource("", "services"), "default", "kubernetes") is not None
    rbac = "rbac.authorization.k8s.io"
    assert store.find_object(GroupResource(rbac, "clusterroles"), "", "cluster-admin") is not None
    objects = [obj for resource in store.resources() for obj in store.list(resource)]
    assert len({obj["metadata"]["uid"] for obj in objects}) == len(objects)


def test_others_can_read_how_clients_are_known() -> None:
    """Aggregated API servers begin with it; new certificates are told at the next start."""
    store = Store()
    bootstrap.fill(store, NOW, authorities=Authorities("old", "proxy"))

    bootstrap.fill(store, NOW, authorities=Authorities("new", "proxy"))

    maps = GroupResource("", "configmaps")
    found = store.find_object(maps, "kube-system", "extension-apiserver-authentication") or {}
    assert found["data"]["client-ca-file"] == "new"
    assert found["data"]["requestheader-client-ca-file"] == "proxy"
    assert found["data"]["requestheader-allowed-names"] == '["front-proxy-client"]'
    tracking = "kube-apiserver-legacy-service-account-token-tracking"
    assert (store.find_object(maps, "kube-system", tracking) or {})["data"] == {
        "since": "2026-01-01"
    }


def test_what_is_there_stays_as_it_is() -> None:
    """A restart changes nothing that somebody has changed."""
    store = Store()
    bootstrap.fill(store, NOW)
    default = store.find_object(NAMESPACES, "", "default") or {}
    store.put(NAMESPACES, {**default, "mine": True})
    revision = store.revision

    bootstrap.fill(store, "later")

    assert store.revision == revision


async def test_everything_in_it_can_be_written_again_as_it_is(server: APIServer) -> None:
    """It obeys the rules that hold for others: a patch of nothing changes nothing."""
    changed = []
    for resource in list(server.store.resources()):
        hub = server.registry.find_hub(resource)
        assert hub is not None
        for stored in server.store.collection(resource).list():
            namespace, _, name = stored.key.rpartition("/")
            inside = f"/namespaces/{namespace}" if namespace else ""
            root = f"/apis/{hub.group}" if hub.group else "/api"
            path = f"{root}/{hub.version}{inside}/{hub.plural}/{name}"
            answer = await ask(server, "PATCH", path, {}, media=MERGE)
            if answer.status != 200 or answer.version != str(stored.revision):
                changed.append((path, answer.body[:300]))

    assert changed == []

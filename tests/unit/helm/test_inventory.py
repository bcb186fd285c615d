"""Objects, as the server tells them apart."""

from typing import Any

import kubewright as kw
from kubewright.helm.inventory import Inventory
from kubewright.testing import EmbeddedServer, operator_test
from tests.unit.helm.charts import ConfigMap, Shop, chart, operator, shop

ClusterRole = kw.Kind("rbac.authorization.k8s.io/v1", "ClusterRole")
ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: big, namespace: "{{ .Values.place }}"}
rules: []
"""


def named(kind: str, name: str, namespace: str, version: str = "v1") -> dict[str, Any]:
    """Return an object as a manifest has it."""
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


async def test_namespace_counts_only_where_there_are_some() -> None:
    """Charts write it into cluster-wide objects, too, where it means nothing."""
    role = "rbac.authorization.k8s.io/v1"
    async with EmbeddedServer() as server, server.client() as client:
        inventory = Inventory(kw.Cluster(client))
        old = [
            named("ClusterRole", "big", "a", role),
            named("ConfigMap", "x", "a"),
            named("Nothing", "y", "a", "example.com/v1"),
        ]
        new = [{**one, "metadata": {**one["metadata"], "namespace": "b"}} for one in old]

        left = await inventory.without(old, new, "default")

        assert [one["kind"] for one in left] == ["ConfigMap", "Nothing"]
        assert await inventory.without(old, old, "default") == []


async def test_what_is_there_has_uids() -> None:
    """A kind that the server does not know has no objects."""
    async with EmbeddedServer() as server, server.client() as client:
        inventory = Inventory(kw.Cluster(client))
        made = await client.create(ConfigMap(metadata={"name": "x", "namespace": "default"}))
        objects = [named("ConfigMap", "x", ""), named("Nothing", "y", "", "example.com/v1")]

        uids = await inventory.uids(objects, "default")

        assert uids == {made.metadata.uid}
        assert await inventory.spared(objects, uids, "default") == objects[1:]
        assert await inventory.spared(objects, frozenset(), "default") == objects


async def test_cluster_wide_object_stays_when_its_namespace_changes() -> None:
    """A CRD would take all its objects along, in all namespaces."""
    async with operator_test(operator(chart({"a.yaml": ROLE}, values="place: a"))) as test:
        await test.client.create(shop())
        await test.settled()
        uid = (await test.client.get(ClusterRole, "big")).metadata.uid

        await test.client.patch(Shop, "corner", {"spec": {"place": "b"}})
        await test.settled()

        assert (await test.client.get(ClusterRole, "big")).metadata.uid == uid


async def test_object_that_was_applied_by_another_name_is_not_pruned() -> None:
    """A kind in two groups is served from one store: the names differ, and the uid does not."""
    event = """\
apiVersion: {{ .Values.version }}
kind: Event
metadata: {name: big}
reason: Painted
type: Normal
action: Paint
eventTime: "2026-01-01T00:00:00.000000Z"
reportingInstance: painter-0
{{- if eq .Values.version "v1" }}
reportingComponent: painter
involvedObject: {kind: Pod, name: a, namespace: default}
{{- else }}
reportingController: painter
regarding: {kind: Pod, name: a, namespace: default}
{{- end }}
"""
    kind = kw.Kind("v1", "Event")
    of = chart({"a.yaml": event}, values="version: v1")
    async with operator_test(operator(of)) as test:
        await test.client.create(shop())
        await test.settled()
        uid = (await test.client.get(kind, "big")).metadata.uid

        await test.client.patch(Shop, "corner", {"spec": {"version": "events.k8s.io/v1"}})
        await test.settled()

        conditions = (await test.client.get(Shop, "corner")).status["conditions"]
        assert conditions[-1]["reason"] == "UpgradeSuccessful"
        assert (await test.client.get(kind, "big")).metadata.uid == uid

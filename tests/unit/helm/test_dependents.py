"""The kinds that releases consist of are watched from the first object on."""

import kubewright as kw
from kubewright.testing import operator_test
from tests.unit.helm.charts import ConfigMap, chart, operator, shop

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: '{{ .Release.Name }}'}
spec: {ports: [{port: {{ .Values.port }}}]}
"""
Service = kw.Kind("v1", "Service")


async def test_kind_that_an_upgrade_brings_is_watched_from_then_on() -> None:
    """Nobody could know of it when the operator started."""
    templates = {"a.yaml": "{{ if .Values.port }}\n" + SERVICE + "{{ end }}"}
    async with operator_test(operator(chart(templates))) as test:
        await test.client.create(shop())
        await test.settled()
        obj = shop(port=80)
        await test.client.apply(obj, field_owner="me")
        await test.settled()
        assert await test.client.find(Service, "corner") is not None

        await test.client.delete(Service, "corner")
        await test.settled()

        assert await test.client.find(Service, "corner") is not None


async def test_objects_that_do_not_belong_to_helm_are_not_kept_in_memory() -> None:
    """A cluster has many ConfigMaps, and few of them come from charts."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()

        await test.client.create(ConfigMap(metadata={"name": "other", "namespace": "default"}))
        await test.settled()

        (cluster,) = test.manager.clusters
        assert isinstance(cluster, kw.Cluster)
        informers = [one for one in cluster.cache if "configmaps" in str(one.selection)]
        assert [len(one.store) for one in informers] == [1]

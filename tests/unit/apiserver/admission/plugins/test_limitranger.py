from typing import Any

import pytest

from kubewright.apiserver.admission.plugins.limitranger import (
    ANNOTATION,
    LIMIT_RANGES,
    LimitRanger,
)
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import context, pod_write
from tests.unit.apiserver.builtin.kind_server import KindServer


def ranges(*items: dict[str, Any]) -> KindServer:
    server = KindServer("", "limitranges")
    server.create({"spec": {"limits": list(items)}})
    return server


def plugin(server: KindServer) -> LimitRanger:
    return LimitRanger(context(server.reader))


def pod(**resources: Any) -> dict[str, Any]:
    containers = [{"name": "a", "resources": resources}, {"name": "b"}]
    return {
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": containers, "initContainers": [{"name": "i"}]},
    }


def test_containers_get_what_they_do_not_ask_for() -> None:
    """And the pod says who gave it."""
    server = ranges({"type": "Container", "default": {"cpu": "2", "memory": "1Gi"}})
    found = pod(limits={"cpu": "1"}, requests={"cpu": "1"})

    plugin(server).admit(pod_write(found))

    first, second = (item["resources"] for item in found["spec"]["containers"])
    assert first["limits"] == {"cpu": "1", "memory": "1Gi"}
    assert second == {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": second["limits"]}
    assert found["metadata"]["annotations"][ANNOTATION] == (
        "LimitRanger plugin set: memory request for container a; memory limit for container a;"
        " cpu, memory request for container b; cpu, memory limit for container b;"
        " cpu, memory request for init container i; cpu, memory limit for init container i"
    )


def test_a_namespace_without_ranges_changes_nothing() -> None:
    """Almost all are."""
    server = KindServer("", "limitranges")
    found, untouched = pod(), pod()

    plugin(server).admit(pod_write(found))
    plugin(server).validate(pod_write(found))

    assert found == untouched


@pytest.mark.parametrize(
    ("item", "resources", "problem"),
    [
        (
            {"max": {"cpu": "1"}},
            {"limits": {"cpu": "2"}},
            "maximum cpu usage per Container is 1, b",
        ),
        (
            {"min": {"cpu": "1"}},
            {"requests": {"cpu": "500m"}},
            "minimum cpu usage per Container is 1, but request is",
        ),
        ({"min": {"cpu": "1"}}, {}, "minimum cpu usage per Container is 1.  No request is"),
        ({"max": {"cpu": "1"}}, {}, "maximum cpu usage per Container is 1.  No limit is specified"),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}},
            "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
        ),
    ],
)
def test_a_pod_outside_of_the_range_is_refused(
    item: dict[str, Any], resources: dict[str, Any], problem: str
) -> None:
    """The texts are those of the LimitRanger plugin."""
    server = KindServer("", "limitranges")
    meta = {"name": "r", "namespace": "default"}
    limits = {"limits": [{"type": "Container", **item}]}
    server.reader.put(LIMIT_RANGES, {"metadata": meta, "spec": limits})
    found = pod(**resources)
    found["spec"] = {"containers": found["spec"]["containers"][:1]}

    with pytest.raises(StatusError) as caught:
        plugin(server).validate(pod_write(found))

    assert caught.value.code == 403
    assert f'pods "p" is forbidden: {problem}' in caught.value.message


def test_a_pod_as_a_whole_is_its_containers_or_the_largest_before_them() -> None:
    """Init containers run one after the other; sidecars run beside."""
    server = ranges({"type": "Pod", "max": {"cpu": "4"}})
    asks = {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}
    found = pod(**asks)
    found["spec"] = {
        "containers": [{"name": "a", "resources": asks}],
        "initContainers": [
            {"name": "s", "resources": asks, "restartPolicy": "Always"},
            {"name": "i", "resources": asks},
        ],
    }

    plugin(server).validate(pod_write(found))
    found["spec"]["containers"].append({"name": "b", "resources": asks})

    with pytest.raises(StatusError, match="maximum cpu usage per Pod is 4, but limit is 6"):
        plugin(server).validate(pod_write(found))


def test_a_claim_is_of_a_size_that_the_namespace_allows() -> None:
    """Both ends of the range count."""
    server = ranges({"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}})
    meta = {"name": "c", "namespace": "default"}
    claim = {"metadata": meta, "spec": {"resources": {"requests": {"storage": "1Mi"}}}}

    with pytest.raises(StatusError, match="minimum storage usage per PersistentVolumeClaim is 1Gi"):
        plugin(server).validate(pod_write(claim, resource="persistentvolumeclaims"))

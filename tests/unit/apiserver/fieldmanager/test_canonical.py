from typing import Any

from kubewright.apiserver.fieldmanager.canonical import canonicalize
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.tree import Schema


def schema(kind: str, group: str = "") -> Schema:
    found = definitions.find(group, "v1", kind)
    assert found is not None
    return found


def test_what_is_empty_goes_and_what_must_be_there_comes() -> None:
    """The real server answers a pod so, whatever was posted."""
    container: dict[str, Any] = {"name": "x", "command": [], "tty": False, "image": ""}
    pod: dict[str, Any] = {
        "metadata": {"name": "p", "labels": {}, "generation": 0},
        "spec": {"containers": [container], "hostNetwork": False, "hostname": None},
    }

    canonicalize(pod, schema("Pod"))

    assert pod == {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "x", "resources": {}}]},
        "status": {},
    }


def test_empty_stays_where_it_says_something() -> None:
    """Zero replicas are not the default, an empty directory is a volume, a key may be empty."""
    deployment: dict[str, Any] = {
        "metadata": {},
        "spec": {
            "replicas": 0,
            "selector": {},
            "template": {"spec": {"containers": [], "volumes": [{"name": "v", "emptyDir": {}}]}},
        },
    }
    config: dict[str, Any] = {"metadata": {}, "data": {"k": ""}, "immutable": False}

    canonicalize(deployment, schema("Deployment", "apps"))
    canonicalize(config, schema("ConfigMap"))

    spec = deployment["spec"]
    assert spec["replicas"] == 0
    assert spec["selector"] == {}
    assert spec["strategy"] == {}
    assert spec["template"] == {
        "metadata": {},
        "spec": {"containers": [], "volumes": [{"name": "v", "emptyDir": {}}]},
    }
    assert config == {"metadata": {}, "data": {"k": ""}, "immutable": False}


def test_form_is_final() -> None:
    """What is canonical already stays as it is."""
    pod: dict[str, Any] = {"spec": {"containers": [{"name": "x", "ports": [{"hostPort": 0}]}]}}
    canonicalize(pod, schema("Pod"))
    before = repr(pod)

    canonicalize(pod, schema("Pod"))

    assert repr(pod) == before

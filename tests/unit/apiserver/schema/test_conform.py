"""Built-in kinds come out as Go's structs would write them."""

from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.conform import conform, unreadable
from tests.unit.apiserver.schema.threads import answers, fresh_definitions

Json = dict[str, Any]


def shape(group: str, version: str, kind: str) -> Any:
    """Return the schema of a built-in kind."""
    found = definitions.find(group, version, kind)
    assert found is not None
    return found


def conformed(group: str, kind: str, **parts: Any) -> Json:
    """Return an object of a kind as the server would keep it, without what is always there."""
    version = f"{group}/v1" if group else "v1"
    obj: Json = {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, **parts}
    conform(obj, shape(group, "v1", kind))
    return {key: obj[key] for key in parts if key in obj}


def refusal(group: str, kind: str, **parts: Any) -> str:
    """Return why an object cannot be read, without the part that names the kind."""
    with pytest.raises(StatusError) as caught:
        conformed(group, kind, **parts)
    assert caught.value.code == 400
    return str(caught.value).partition(f"cannot be handled as a {kind}: ")[2]


def pod(**container: Any) -> Json:
    """Return the spec of a pod with one container."""
    return {"containers": [{"name": "a", "resources": {}, **container}]}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"stdin": False, "tty": True, "image": ""}, {"tty": True}),
        ({"args": [], "env": None}, {}),
        (
            {"securityContext": {"privileged": False, "capabilities": {}}},
            {"securityContext": {"privileged": False, "capabilities": {}}},
        ),
        (
            {"resources": {"limits": {"cpu": "1000m", "memory": 1024}}},
            {"resources": {"limits": {"cpu": "1", "memory": "1024"}}},
        ),
        ({"args": [None, "b"]}, {"args": ["", "b"]}),
        (
            {"livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 0}},
            {"livenessProbe": {"httpGet": {"port": "http"}}},
        ),
    ],
)
def test_empty_values_go_and_values_get_their_normal_form(given: Json, kept: Json) -> None:
    """Clients see the same object that Go would have made of theirs."""
    assert conformed("", "Pod", spec=pod(**given)) == {"spec": pod(**kept)}


def test_pointers_keep_zeros_and_structs_are_always_there() -> None:
    """A Deployment with no replicas is not one with the default number of them."""
    spec: Json = {"replicas": 0, "minReadySeconds": 0, "paused": False, "selector": {}}

    assert conformed("apps", "Deployment", spec=spec)["spec"] == {
        "replicas": 0,
        "selector": {},
        "template": {"metadata": {}, "spec": {}},
        "strategy": {},
    }


def test_unknown_fields_are_named_and_removed() -> None:
    """Strict decoding names them; without it they vanish."""
    template = {"spec": {"containers": [{"name": "a", "foo": 1}]}, "metadata": {"bar": {}}}
    obj: Json = {"kind": "Deployment", "spec": {"template": template, "x": 1}}

    problems = conform(obj, shape("apps", "v1", "Deployment"))

    assert problems.unknown == [
        "spec.template.spec.containers[0].foo",
        "spec.template.metadata.bar",
        "spec.x",
    ]
    assert obj["spec"]["template"]["spec"]["containers"][0] == {"name": "a", "resources": {}}
    assert problems.keys == 10


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            {"replicas": "3"},
            (
                "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of"
                " type int32"
            ),
        ),
        (
            {"replicas": 1.5},
            (
                "json: cannot unmarshal number 1.5 into Go struct field"
                " DeploymentSpec.spec.replicas of type int32"
            ),
        ),
        (
            {"replicas": 2**31},
            (
                "json: cannot unmarshal number 2147483648 into Go struct field"
                " DeploymentSpec.spec.replicas of type int32"
            ),
        ),
        (
            {"template": {"metadata": {"labels": {"a": 1}}}},
            (
                "json: cannot unmarshal number into Go struct field"
                " ObjectMeta.spec.template.metadata.labels of type string"
            ),
        ),
        (
            {"template": {"spec": {"containers": {}}}},
            (
                "json: cannot unmarshal object into Go struct field"
                " PodSpec.spec.template.spec.containers of type []v1.Container"
            ),
        ),
        (
            {"template": {"spec": {"containers": [{"imagePullPolicy": True}]}}},
            (
                "json: cannot unmarshal bool into Go struct field"
                " Container.spec.template.spec.containers.imagePullPolicy of type v1.PullPolicy"
            ),
        ),
        (
            {"strategy": {"rollingUpdate": {"maxSurge": []}}},
            (
                "json: cannot unmarshal array into Go struct field"
                " RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32"
            ),
        ),
    ],
)
def test_wrong_types_are_refused_in_the_words_of_go(spec: Json, text: str) -> None:
    """People search for these texts, and clients print them."""
    assert refusal("apps", "Deployment", spec=spec) == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"a": "abc"}, "illegal base64 data at input byte 0"),
        ({"a": "ab!="}, "illegal base64 data at input byte 2"),
        (
            {"a": 1},
            "json: cannot unmarshal number into Go struct field Secret.data of type []uint8",
        ),
    ],
)
def test_secrets_must_be_base64(data: Json, text: str) -> None:
    """What is stored can be decoded by everybody."""
    assert refusal("", "Secret", data=data) == text


def test_base64_is_written_as_go_writes_it() -> None:
    """Line breaks inside are forgiven."""
    assert conformed("", "Secret", data={"a": "YWJj\nYQ==", "b": None}) == {
        "data": {"a": "YWJjYQ==", "b": ""}
    }


def test_schemas_inside_of_definitions_are_cut_without_a_word() -> None:
    """Go reads items and additionalProperties by themselves, and forgets to be strict."""
    inner = {"type": "array", "items": {"type": "string", "foo": 1}}
    map_of = {"type": "object", "additionalProperties": {"type": "string", "bar": 1}}
    schema = {"type": "object", "properties": {"a": inner, "b": map_of, "c": {"baz": 1}}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    crd: Json = {"kind": "CustomResourceDefinition", "spec": {"versions": [version]}}

    problems = conform(crd, shape("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))

    below = "spec.versions[0].schema.openAPIV3Schema.properties"
    assert problems.unknown == [f"{below}.c.baz"]
    assert inner["items"] == {"type": "string"}
    assert map_of["additionalProperties"] == {"type": "string"}


def test_an_object_without_a_kind_is_unrecognized() -> None:
    """There is nothing to name in the refusal then."""
    error = unreadable({}, "Pod", "no reason")

    assert str(error) == "the object provided is unrecognized (must be of type Pod): no reason"


def test_every_kind_survives_a_second_reading() -> None:
    """Objects are read again at each change, which must not change them."""
    for group, version, kind in definitions.kinds():
        obj: Json = {"apiVersion": f"{group}/{version}", "kind": kind}
        conform(obj, shape(group, version, kind))
        once = repr(obj)

        conform(obj, shape(group, version, kind))

        assert repr(obj) == once, kind


def test_threads_wait_for_the_one_that_compiles() -> None:
    """Two servers in one process would answer their first requests with "exceeded max depth"."""
    for _ in range(3):
        found = fresh_definitions().find("", "v1", "Pod")

        def read(schema: Any = found) -> Any:
            obj: Json = {"metadata": {"name": "x"}, "spec": {"nodeName": "a", "unknown": 1}}
            conform(obj, schema)
            return obj["spec"]

        assert all(spec["nodeName"] == "a" and "unknown" not in spec for spec in answers(read))

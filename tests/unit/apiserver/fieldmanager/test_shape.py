from kubewright.apiserver.fieldmanager import shape
from kubewright.apiserver.schema import definitions, tree
from tests.unit.apiserver.fieldmanager import custom
from tests.unit.apiserver.schema.threads import answers, fresh_definitions


def pod(*, implied: bool = True) -> shape.Shape:
    found = definitions.find("", "v1", "Pod")
    assert found is not None
    return shape.root(found, implied=implied)


def below(found: shape.Shape, *names: str) -> shape.Shape:
    for name in names:
        found = found.fields[name][1]
    return found


def test_lists_are_owned_as_their_schema_says() -> None:
    """Atomic, set or map; and by their patch strategy where nothing newer is said."""
    spec = below(shape.root(custom.schema()), "spec")

    assert below(spec, "plain").atomic_list
    assert below(spec, "set").granular_list
    assert not below(spec, "set").keys
    assert below(spec, "items").keys == ("name", "port")
    assert below(spec, "items").key_defaults == {"port": 80}
    assert below(pod(), "metadata", "ownerReferences").keys == ("uid",)


def test_patch_strategy_decides_where_the_list_type_is_silent() -> None:
    """Types from before list types are merged by apply as by kubectl."""
    merged = {"type": "array", "x-kubernetes-patch-strategy": "merge", "items": {"type": "string"}}
    keyed = {**merged, "x-kubernetes-patch-merge-key": "k", "items": {"type": "object"}}
    source = {"type": "object", "properties": {"a": merged, "b": keyed}}

    found = shape.root(tree.parse(source))

    assert below(found, "a").granular_list
    assert below(found, "b").keys == ("k",)


def test_custom_resources_have_the_metadata_of_all_objects() -> None:
    """A CRD says only "object" about metadata."""
    found = shape.root(custom.schema())

    assert below(found, "metadata", "finalizers").granular_list
    assert below(found, "kind").scalar == "string"
    assert shape.root(tree.Schema()) is shape.DEDUCED
    assert shape.untyped(below(found, "spec", "free"))


def test_preserving_reaches_down() -> None:
    """Below a field that keeps unknown fields, objects with declared fields keep them too."""
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    outer = {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"inner": inner},
    }

    found = shape.root(custom.schema(outer=outer, inner=inner))

    assert below(found, "spec", "outer", "inner").element is shape.DEDUCED
    assert below(found, "spec", "inner").element is None


def test_fields_that_types_cannot_leave_out_are_implied() -> None:
    """On a real server, pods have resources and a status even if no client set them."""
    full = shape.with_implied({"spec": {"containers": [{"name": "x"}]}}, pod())

    assert full["status"] == {}
    assert full["spec"]["containers"] == [{"name": "x", "resources": {}}]
    assert shape.with_implied({}, pod(implied=False)) == {}


def test_declared_nulls_stand_for_unset() -> None:
    """Keys of a map are data, and stay."""
    value = {"spec": {"hostname": None, "containers": [{"name": "x", "image": None}]}}

    assert shape.without_nulls(value, pod()) == {"spec": {"containers": [{"name": "x"}]}}
    assert shape.without_nulls({"a": None}, shape.DEDUCED) == {"a": None}


def test_raw_extensions_are_owned_as_a_whole() -> None:
    """The server has no schema for their contents."""
    found = definitions.find("apps", "v1", "ControllerRevision")
    assert found is not None

    assert below(shape.root(found), "data") is shape.ATOMIC


def test_schema_that_contains_itself_has_a_shape() -> None:
    """A CRD holds schemas, and schemas hold schemas."""
    found = definitions.find("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
    assert found is not None

    assert below(shape.root(found), "spec", "group").scalar == "string"


def test_copy_shares_nothing() -> None:
    """Callers change the result afterwards."""
    value = {"a": [{"b": 1}]}

    copy = shape.copied(value)
    copy["a"][0]["b"] = 2

    assert value == {"a": [{"b": 1}]}


def test_no_thread_sees_half_a_shape() -> None:
    """Two servers in one process would forget who owns which field."""
    for _ in range(5):
        found = fresh_definitions().find("", "v1", "Pod")
        assert found is not None

        def size(schema: tree.Schema = found) -> int:
            return len(below(shape.root(schema), "spec").fields)

        sizes = answers(size)

        assert len(set(sizes)) == 1
        assert sizes[0] > 30

from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.patch import strategic
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.tree import Schema


def schema(kind: str = "Pod") -> Schema:
    found = definitions.find("apps" if kind == "Deployment" else "", "v1", kind)
    assert found is not None
    return found


def pod(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"finalizers": ["a", "b"], "labels": {"l": "1"}}, "spec": spec}


def container(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, **more}


def patched(document: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    return strategic.apply(document, patch, schema())


def test_elements_of_a_list_are_merged_by_their_key() -> None:
    """A patch for one container leaves the others, and its other fields, alone."""
    live = pod(containers=[container("x", image="1", tty=True), container("y", image="1")])
    change = {"spec": {"containers": [container("y", image="2"), container("z")]}}

    result = patched(live, change)

    assert result["spec"]["containers"] == [
        container("x", image="1", tty=True),
        container("y", image="2"),
        container("z"),
    ]
    assert live["spec"]["containers"][1]["image"] == "1"


@pytest.mark.parametrize(
    ("containers", "names"),
    [
        ([{"$patch": "delete", "name": "x"}], ["y"]),
        ([{"$patch": "replace"}, container("q")], ["q"]),
        ([container("w"), container("x")], ["w", "x", "y"]),
    ],
)
def test_directives_inside_lists(containers: list[Any], names: list[str]) -> None:
    """An element can be deleted, and a list replaced instead of merged."""
    live = pod(containers=[container("x"), container("y")])

    result = patched(live, {"spec": {"containers": containers}})

    assert [item["name"] for item in result["spec"]["containers"]] == names


def test_maps_are_replaced_or_emptied_on_request() -> None:
    """A directive beside the fields of a map is about that map."""
    live = pod(nodeSelector={"a": "1"}, securityContext={"runAsUser": 1})

    result = patched(
        live,
        {
            "spec": {
                "nodeSelector": {"$patch": "replace", "b": "2"},
                "securityContext": {"$patch": "delete"},
            }
        },
    )

    assert result["spec"] == {"nodeSelector": {"b": "2"}, "securityContext": {}}


def test_sets_of_scalars_grow_and_shrink() -> None:
    """Finalizers are merged, and removed by a parallel list."""
    grown = patched(pod(), {"metadata": {"finalizers": ["c", "a"]}})
    shrunk = patched(pod(), {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}})

    assert sorted(grown["metadata"]["finalizers"]) == ["a", "b", "c"]
    assert shrunk["metadata"]["finalizers"] == ["b"]


def test_order_is_set_by_a_parallel_list() -> None:
    """A client-side apply always says in which order it wants the elements."""
    live = pod(containers=[container("x"), container("sidecar"), container("y")])
    change = {
        "spec": {
            "$setElementOrder/containers": [{"name": "y"}, {"name": "x"}],
            "containers": [container("x", image="2")],
        }
    }

    result = patched(live, change)

    names = [item["name"] for item in result["spec"]["containers"]]
    assert names.index("y") < names.index("x")
    assert set(names) == {"x", "y", "sidecar"}


def test_keys_that_are_not_retained_go() -> None:
    """A union changes its member without the patch naming the old one."""
    live = {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}
    change = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}

    result = strategic.apply(live, change, schema("Deployment"))

    assert result["spec"]["strategy"] == {"type": "Recreate"}


def test_null_removes_and_is_not_stored() -> None:
    """A null where nothing was leaves nothing."""
    result = patched(
        pod(hostname="h"), {"spec": {"hostname": None, "dnsConfig": {"options": None}}}
    )

    assert result["spec"] == {"dnsConfig": {}}


def test_lists_without_a_strategy_are_replaced() -> None:
    """A list of arguments, for example, only makes sense as a whole."""
    live = pod(containers=[container("x", args=["a", "b"])])

    result = patched(live, {"spec": {"containers": [container("x", args=["c"])]}})

    assert result["spec"]["containers"] == [container("x", args=["c"])]


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (
            {"spec": {"containers": [{"image": "i"}]}},
            500,
            "map: map[image:i] does not contain declared merge key: name",
        ),
        (
            {"spec": {"$patch": "bogus"}},
            500,
            "unknown patch type: bogus in map: map[$patch:bogus]",
        ),
        (
            {"spec": {"containers": [{"$patch": "merge", "name": "x"}]}},
            500,
            "merging lists cannot yet be specified in the patch",
        ),
        ({"spec": {"$retainKeys": "x"}}, 400, "invalid patch format of retainKeys"),
        (
            {"spec": {"$retainKeys": ["hostname"], "nodeName": "n"}},
            400,
            "invalid patch format of retainKeys",
        ),
        (
            {"metadata": {"$deleteFromPrimitiveList": []}},
            400,
            "invalid patch format of primitive list",
        ),
        (
            {"spec": {"$setElementOrder/containers": {}}},
            500,
            "expected a []interface {}, but received a map[string]interface {}",
        ),
        (
            {"metadata": {"finalizers": [["x"]]}},
            500,
            "list element types are not identical: [[a b] [[x]]]",
        ),
    ],
)
def test_what_cannot_be_merged_is_refused(change: dict[str, Any], code: int, message: str) -> None:
    """The texts are those of the real server."""
    with pytest.raises(StatusError) as caught:
        patched(pod(containers=[container("x")]), change)

    assert (caught.value.code, str(caught.value)) == (code, message)


def test_patch_that_is_no_object_is_refused() -> None:
    """The body is read here when it comes as bytes."""
    assert strategic.apply({"a": 1}, b"{}", Schema()) == {"a": 1}
    with pytest.raises(StatusError) as caught:
        strategic.apply({}, b"[]", Schema())

    assert caught.value.code == 400


class Counted(str):
    """A text that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)


def counted(prefix: str, count: int) -> list[str]:
    return [Counted(f"{prefix}{n}") for n in range(count)]


@pytest.mark.parametrize(
    ("metadata", "change"),
    [
        (
            {"finalizers": counted("a", 2000)},
            {"$deleteFromPrimitiveList/finalizers": counted("b", 2000)},
        ),
        (
            {"ownerReferences": [{"uid": uid} for uid in counted("a", 2000)]},
            {"ownerReferences": [{"uid": uid} for uid in counted("b", 2000)]},
        ),
        (
            {"ownerReferences": [{"uid": uid} for uid in counted("a", 2000)]},
            {"ownerReferences": [{"uid": u, "$patch": "delete"} for u in counted("b", 2000)]},
        ),
        (
            {"annotations": dict.fromkeys(counted("a", 2000), "")},
            {"annotations": {"$retainKeys": counted("a", 2000), "a0": "1"}},
        ),
    ],
)
def test_long_lists_are_not_compared_each_with_each(
    metadata: dict[str, Any], change: dict[str, Any]
) -> None:
    """One request of 3 MB has 60,000 elements, and its square would hold up the server."""
    Counted.compared = 0

    patched({"metadata": metadata}, {"metadata": change})

    assert Counted.compared < 20 * 2000

"""The elements of two lists."""

from typing import Any

from kubewright.scaffold.kustomize.elements import ElementMerge
from kubewright.scaffold.kustomize.node import node_of, plain


def merged(keys: list[str], into: list[Any], patch: list[Any]) -> Any:
    """Return what becomes of two lists, where the patch's fields win."""

    def merge(old: Any, new: Any) -> Any:
        if new is None or not isinstance(new, dict):
            return old if new is None else new
        old = {} if old is None else old
        old.update(new)
        return old

    return plain(ElementMerge(keys, merge, "list").merged(node_of(into), node_of(patch)))


def test_new_elements_come_first_and_the_others_keep_their_places() -> None:
    """That is what kustomize prints, and so what people have reviewed."""
    assert merged(["name"], [{"name": "a"}, {"name": "b"}], [{"name": "c"}, {"name": "a"}]) == [
        {"name": "c"},
        {"name": "a"},
        {"name": "b"},
    ]


def test_elements_are_the_same_if_all_keys_are() -> None:
    """A port is its number and its protocol: the same number with another one is another port."""
    ports = [{"port": 1, "protocol": "TCP"}]

    assert merged(["port", "protocol"], ports, [{"port": 1, "protocol": "TCP", "a": "b"}]) == [
        {"port": 1, "protocol": "TCP", "a": "b"}
    ]
    assert merged(["port", "protocol"], ports, [{"port": 1, "protocol": "UDP"}]) == [
        {"port": 1, "protocol": "UDP"},
        {"port": 1, "protocol": "TCP"},
    ]


def test_lists_of_single_values_are_sets() -> None:
    """A finalizer that is there is not added again."""
    assert merged([], ["a", "b"], ["c", "b"]) == ["c", "b", "a"]


def test_a_port_without_its_protocol_is_the_one_that_has_one() -> None:
    """It does not become a second one; what else the patch says of it is lost, as in kustomize."""
    ports = [{"port": 1, "protocol": "TCP"}]

    assert merged(["port", "protocol"], ports, [{"port": 1, "a": "b"}]) == ports

"""How two states of an object differ."""

from typing import Any

from kubewright.runs.change import Change, changes_between


def told(before: dict[str, Any], after: dict[str, Any], *, secret: bool = False) -> list[str]:
    """Return the differences as people read them."""
    return [str(one) for one in changes_between(before, after, secret=secret)]


def test_each_field_that_differs_is_named_with_both_values() -> None:
    """That is the answer to "what did it change?"."""
    before = {"spec": {"size": 1, "open": True, "old": "x"}}
    after = {"spec": {"size": 2, "open": True, "new": {"a": 1}}}

    assert list(changes_between(before, after)) == [
        Change("spec.size", 1, 2),
        Change("spec.old", "x", None),
        Change("spec.new.a", None, 1),
    ]


def test_kind_name_and_what_the_server_counts_are_left_out() -> None:
    """They differ after each write, or never, and tell nothing."""
    before = {"metadata": {"name": "a", "resourceVersion": "1", "managedFields": [], "uid": "u"}}
    after = {
        "apiVersion": "v1",
        "kind": "Shop",
        "metadata": {
            "name": "a",
            "resourceVersion": "2",
            "generation": 3,
            "labels": {"a.b/c": "d"},
        },
    }

    assert told(before, after) == ["metadata.labels[a.b/c] None -> 'd'"]


def test_items_of_a_list_are_compared_by_their_key() -> None:
    """A condition that moved has not changed, and one that did is named by its type."""
    before = {"status": {"conditions": [{"type": "A", "s": "1"}, {"type": "Ready", "s": "False"}]}}
    after = {"status": {"conditions": [{"type": "Ready", "s": "True"}, {"type": "A", "s": "1"}]}}

    assert told(before, after) == ["status.conditions[Ready].s 'False' -> 'True'"]


def test_items_without_a_key_are_compared_by_their_place_or_as_a_whole() -> None:
    """A list that got longer is shown whole: which item is new cannot be known."""
    assert told({"a": [1, 2]}, {"a": [1, 3]}) == ["a[1] 2 -> 3"]
    assert told({"a": [1]}, {"a": [1, 3]}) == ["a [1] -> [1, 3]"]
    assert told({"a": None}, {"a": [1]}) == ["a None -> [1]"]


def test_true_and_one_are_two_values() -> None:
    """Python takes them for equal; a server does not."""
    assert told({"a": True}, {"a": 1}) == ["a True -> 1"]


def test_the_data_of_a_secret_never_shows() -> None:
    """A record goes to pages and logs; what was in the Secret must not."""
    before = {"data": {"password": "b2xk"}, "type": "Opaque"}
    after = {
        "data": {"password": "bmV3"},
        "stringData": {"x": "canary"},
        "type": "Opaque",
        "metadata": {
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"x":"canary"}'}
        },
    }

    found = told(before, after, secret=True)

    assert len(found) == 3
    assert all("hidden" in one for one in found)
    assert not any(word in str(found) for word in ("canary", "b2xk", "bmV3"))


def test_variables_that_hold_keys_never_show() -> None:
    """The value of ``DB_PASSWORD`` in a Deployment is as secret as one in a Secret."""

    def pod(value: str) -> dict[str, Any]:
        variable = {"name": "DB_PASSWORD", "value": value}
        return {"spec": {"containers": [{"name": "web", "env": [variable]}]}}

    found = told(pod("hunter2"), pod("hunter3"))

    assert len(found) == 1
    assert found[0].startswith("spec.containers[web].env[DB_PASSWORD].value '[hidden")
    assert "hunter" not in found[0]

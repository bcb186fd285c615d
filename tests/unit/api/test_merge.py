import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import _json
from kubewright.api.merge import merged
from kubewright.api.model import Model
from kubewright.api.patches import json_equal


def test_only_what_changed_is_changed() -> None:
    """The whole point: fields of a newer server survive an update from an older client."""
    raw = {"spec": {"size": 1, "color": "red", "new": {"deep": True}}, "extra": [1]}
    before = {"spec": {"size": 1, "color": "red"}}
    after = {"spec": {"size": 2}, "added": {"x": 1}}

    result = merged(raw, before, after)

    assert result == {"spec": {"size": 2, "new": {"deep": True}}, "extra": [1], "added": {"x": 1}}


def test_defaults_that_the_server_did_not_send_are_not_added() -> None:
    """A typed object encodes its defaults; that alone is no reason to write."""
    assert merged({}, {"phase": "PENDING"}, {"phase": "PENDING"}) == {}
    assert merged({}, {"phase": "PENDING"}, {"phase": "DONE"}) == {"phase": "DONE"}


def test_a_value_that_did_not_change_keeps_the_spelling_of_the_server() -> None:
    """Times with nine digits, quantities, nulls: what we do not change we do not touch."""
    raw = {"time": "2026-01-01T00:00:00.123456789Z", "list": None, "size": 1}
    before = {"time": "2026-01-01T00:00:00.123456Z", "size": 1}

    result = merged(raw, before, before | {"size": 2})

    assert result == raw | {"size": 2}


def test_unknown_fields_survive_in_a_part_that_was_empty_for_us() -> None:
    """An empty status is not encoded, but the server's may hold what we do not know."""
    result = merged({"status": {"unknown": 1}}, {}, {"status": {"phase": "DONE"}})

    assert result == {"status": {"unknown": 1, "phase": "DONE"}}


def test_true_is_not_one() -> None:
    """Python would see no change and lose the write."""
    assert merged({"a": 1}, {"a": 1}, {"a": True})["a"] is True


CONTAINERS = [
    {"name": "web", "image": "web:1", "unknown": "w", "ports": [{"containerPort": 80, "x": 1}]},
    {"name": "log", "image": "log:1", "unknown": "l"},
]
KNOWN = [
    {"name": "web", "image": "web:1", "ports": [{"containerPort": 80}]},
    {"name": "log", "image": "log:1"},
]


def _merged_list(raw: list[Any], before: list[Any], after: list[Any]) -> list[Any]:
    result: list[Any] = merged({"list": raw}, {"list": before}, {"list": after})["list"]
    return result


def test_items_are_matched_by_name_whatever_their_order() -> None:
    """A container put in front must not take over the unknown fields of the next."""
    after = [
        {"name": "new", "image": "new:1"},
        {"name": "log", "image": "log:2"},
        {"name": "web", "image": "web:1", "ports": [{"containerPort": 80, "name": "http"}]},
    ]

    result = _merged_list(CONTAINERS, KNOWN, after)

    assert result == [
        {"name": "new", "image": "new:1"},
        {"name": "log", "image": "log:2", "unknown": "l"},
        {"name": "web", "image": "web:1", "unknown": "w",
         "ports": [{"containerPort": 80, "x": 1, "name": "http"}]},
    ]  # fmt: skip


def test_a_removed_item_goes_with_its_unknown_fields() -> None:
    """And the others keep theirs."""
    assert _merged_list(CONTAINERS, KNOWN, KNOWN[1:]) == CONTAINERS[1:]


@pytest.mark.parametrize(
    "items",
    [
        [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}],
        [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}],
        [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}],
        [{"type": "Ready", "status": "True"}, {"type": "Progressing", "status": "True"}],
        [{"uid": "1", "name": "a"}, {"uid": "2", "name": "a"}],
        [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}],
        [{"topologyKey": "z", "whenUnsatisfiable": "A"}, {"topologyKey": "z"}],
        [{"key": "a", "path": "x"}, {"key": "b", "path": "x"}],
        [{"devicePath": "/dev/a"}, {"devicePath": "/dev/b"}],
    ],
)
def test_the_identities_of_kubernetes_lists_are_known(items: list[dict[str, Any]]) -> None:
    """Each is the merge key of some list of a built-in kind."""
    raw = [item | {"unknown": i} for i, item in enumerate(items)]
    after = [items[1] | {"changed": True}, items[0]]

    result = _merged_list(raw, items, after)

    assert result == [raw[1] | {"changed": True}, raw[0]]


def test_an_absent_protocol_is_tcp() -> None:
    """The server fills it in; the item is still the same."""
    raw = [{"port": 80, "protocol": "TCP", "unknown": 1}, {"port": 80, "protocol": "UDP"}]
    before = [{"port": 80, "protocol": "TCP"}, {"port": 80, "protocol": "UDP"}]

    result = _merged_list(raw, before, [{"port": 80, "name": "http"}])

    assert result == [{"port": 80, "unknown": 1, "name": "http"}]


def test_an_item_whose_identity_was_changed_is_found_by_its_other_one() -> None:
    """Moving a port to another number keeps what we do not know of it; so does renaming it."""
    raw = [{"name": "http", "port": 80, "unknown": 1}, {"name": "dns", "port": 53, "unknown": 2}]
    before = [{"name": "http", "port": 80}, {"name": "dns", "port": 53}]
    after = [{"name": "http", "port": 8080}, {"name": "domain", "port": 53}]

    result = _merged_list(raw, before, after)

    assert result == [after[0] | {"unknown": 1}, after[1] | {"unknown": 2}]


def test_another_item_of_the_same_type_is_another_item() -> None:
    """A type alone says what sort of thing it is; what we know of the old one must not leak."""
    raw = [{"name": "a", "type": "disk", "unknown": 1}]

    result = _merged_list(raw, [{"name": "a", "type": "disk"}], [{"name": "b", "type": "disk"}])

    assert result == [{"name": "b", "type": "disk"}]


def test_items_without_identity_are_matched_by_index_when_none_came_or_went() -> None:
    """Then the best guess is that each is still itself."""
    raw = [{"weight": 1, "unknown": "a"}, {"weight": 1, "unknown": "b"}]

    result = _merged_list(raw, [{"weight": 1}, {"weight": 1}], [{"weight": 1}, {"weight": 2}])

    assert result == [{"weight": 1, "unknown": "a"}, {"weight": 2, "unknown": "b"}]


def test_items_without_identity_keep_both_ends_when_one_was_put_in() -> None:
    """What is new, and nothing else, is taken from the typed object."""
    raw = [{"w": 1, "unknown": "a"}, {"w": 1, "unknown": "b"}]

    result = _merged_list(raw, [{"w": 1}, {"w": 1}], [{"w": 1}, {"w": 5}, {"w": 1}])

    assert result == [{"w": 1, "unknown": "a"}, {"w": 5}, {"w": 1, "unknown": "b"}]


def test_a_list_that_our_type_reads_in_another_shape_is_replaced() -> None:
    """When its items cannot be told apart any more, mixing them up would be worse than loss."""
    assert _merged_list([{"a": 1}, None], [{"a": 1}], [{"a": 2}]) == [{"a": 2}]
    assert _merged_list(["1"], [{"a": 1}], [{"a": 2}]) == [{"a": 2}]
    shuffled = [{"name": "b", "u": 1}, {"name": "a"}]
    known = [{"name": "a"}, {"name": "b"}]
    assert _merged_list(shuffled, known, [{"name": "a", "x": 1}]) == [{"name": "a", "x": 1}]


def test_a_set_that_is_written_in_another_order_is_not_mixed_up() -> None:
    """Sets have no order: by index, "b" would come back and "a" be lost."""
    assert _merged_list(["b", "a"], ["a", "b"], ["a", "c"]) == ["a", "c"]
    assert _merged_list(["b", "a"], ["a", "b"], ["a", "b", "c"]) == ["a", "b", "c"]


def test_odd_identities_do_no_harm() -> None:
    """A name that is a list, a number or a boolean comes from kinds that mean something else."""
    raw = [{"name": ["x"], "u": 1}, {"name": True, "u": 2}]
    before = [{"name": ["x"]}, {"name": True}]

    result = _merged_list(raw, before, [{"name": ["x"], "a": 1}, {"name": True}])

    assert result == [{"name": ["x"], "u": 1, "a": 1}, {"name": True, "u": 2}]


def test_inputs_are_neither_changed_nor_shared() -> None:
    """The raw document may stand in a cache."""
    raw = {"a": {"b": [1]}, "c": 1}
    after = {"a": {"b": [1]}, "c": 2, "d": {"e": []}}

    result = merged(raw, {"a": {"b": [1]}, "c": 1}, after)
    result["a"]["b"].append(2)
    result["d"]["e"].append(3)

    assert raw == {"a": {"b": [1]}, "c": 1}
    assert after["d"] == {"e": []}


# --- properties: a document of known fields (small names) with unknown ones (X…) mixed in ---

known_scalars = st.one_of(st.integers(0, 2), st.booleans(), st.sampled_from(["x", "y"]))
known_keys = st.sampled_from(["a", "b", "name", "type", "port"])
known = st.recursive(
    known_scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(known_keys, inner, max_size=4),
    max_leaves=12,
)
known_objects = st.dictionaries(known_keys, known, max_size=4)


@st.composite
def with_unknown(draw: st.DrawFn, value: Any) -> Any:
    if isinstance(value, list):
        return [draw(with_unknown(one)) for one in value]
    if not isinstance(value, dict):
        return value
    grown = {key: draw(with_unknown(one)) for key, one in value.items()}
    return grown | draw(st.dictionaries(st.sampled_from(["X", "Y"]), known, max_size=2))


@st.composite
def updates(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    before = draw(known_objects)
    return draw(with_unknown(before)), before, draw(known_objects)


def _without_unknown(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_unknown(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_unknown(one) for key, one in value.items() if key not in ("X", "Y")}


@given(updates())
def test_no_change_changes_nothing(update: tuple[Any, Any, Any]) -> None:
    """Reading an object and writing it back sends what was read, to the letter."""
    raw, before, _ = update

    assert json_equal(merged(raw, before, copy.deepcopy(before)), raw)


@given(updates())
def test_without_unknown_fields_the_result_is_the_typed_object(
    update: tuple[Any, Any, Any],
) -> None:
    """Nothing that was meant to go stays, and nothing that was meant to come is lost."""
    _, before, after = update

    assert json_equal(merged(before, before, after), after)


@given(updates())
def test_what_we_know_of_the_result_is_what_was_meant(update: tuple[Any, Any, Any]) -> None:
    """Unknown fields never disturb known ones."""
    raw, before, after = update

    assert json_equal(_without_unknown(merged(raw, before, after)), after)


def _survive(raw: Any, after: Any, result: Any) -> bool:
    """Say whether the unknown fields of objects that are still there are still there."""
    if not (isinstance(raw, dict) and isinstance(after, dict)):
        return True
    return all(json_equal(result.get(key), raw[key]) for key in ("X", "Y") if key in raw) and all(
        _survive(raw[key], after[key], result[key]) for key in raw.keys() & after.keys()
    )


@given(updates())
def test_unknown_fields_survive_in_every_object_that_stays(update: tuple[Any, Any, Any]) -> None:
    """At any depth of objects."""
    raw, before, after = update

    assert _survive(raw, after, merged(raw, before, after))


@given(st.data())
def test_unknown_fields_of_named_items_survive_any_reordering(data: st.DataObject) -> None:
    """In lists with names an item is found again wherever it went."""
    names = data.draw(st.lists(st.sampled_from("pqrst"), unique=True))
    kept = data.draw(st.permutations(names))[: data.draw(st.integers(0, len(names)))]
    raw = [{"name": name, "size": 1, "X": {"of": name}} for name in names]
    before = [{"name": name, "size": 1} for name in names]
    after = [{"name": name, "size": 2} for name in kept]

    result = _merged_list(raw, before, after)

    assert result == [{"name": name, "size": 2, "X": {"of": name}} for name in kept]


def test_a_field_that_is_a_tuple_is_a_list_on_the_wire() -> None:
    """Frozen models have tuples, and their items have unknown fields too."""
    raw = {"list": [{"name": "a", "unknown": 1}], "pairs": [[{"u": 1}]]}
    before = {"list": ({"name": "a"},), "pairs": (({},),)}
    after = {"list": ({"name": "a", "x": 2}, {"name": "b"}), "pairs": (({"x": 1},),)}

    result = merged(raw, before, after)

    assert result == {
        "list": [{"name": "a", "unknown": 1, "x": 2}, {"name": "b"}],
        "pairs": [[{"u": 1, "x": 1}]],
    }


class Port(Model):
    name: str = ""
    port: int = 0


class Shop(Model):
    size: int = 1
    phase: str = "PENDING"
    ports: list[Port] = []
    labels: dict[str, str] = {}


def test_a_typed_object_is_updated_without_loss() -> None:
    """The way the client uses it: decode, change, encode, merge."""
    raw = _json.loads(
        b'{"size":3,"new":{"a":1},"ports":[{"name":"a","port":1,"tls":true}],"labels":null}'
    )
    shop = _json.convert(raw, Shop)
    before = _json.to_builtins(shop)

    shop.ports[0].port = 2
    shop.labels["x"] = "y"
    result = merged(raw, before, _json.to_builtins(shop))

    assert result == {
        "size": 3,
        "new": {"a": 1},
        "ports": [{"name": "a", "port": 2, "tls": True}],
        "labels": {"x": "y"},
    }


UNDERSTOOD = [{"host": name} for name in "abcde"]
SERVED = [{"host": name, "new": f"of-{name}"} for name in "abcde"]


@pytest.mark.parametrize(
    "names", ["edcba", "bcdea", "ace", "abxde", "bcdex", "xabcde", "aabcde", "", "ebx"]
)
def test_an_item_that_was_not_changed_keeps_its_own_unknown_fields(names: str) -> None:
    """Lists without keys are reordered, cut and added to; nobody may get another's fields."""
    after = [{"host": name} for name in names]

    found = merged({"rules": SERVED}, {"rules": UNDERSTOOD}, {"rules": after})["rules"]

    for item in found:
        assert item.get("new", f"of-{item['host']}") == f"of-{item['host']}" or item["host"] == "x"
    assert [item["host"] for item in found] == list(names)
    kept = [item for item in found if "new" in item]
    assert len(kept) >= len(set(names) & set("abcde"))


def test_an_item_edited_in_place_keeps_its_unknown_fields() -> None:
    """Between the same neighbours it is the same item."""
    after = [{"host": name} for name in "abXde"]

    found = merged({"rules": SERVED}, {"rules": UNDERSTOOD}, {"rules": after})["rules"]

    assert found[2] == {"host": "X", "new": "of-c"}

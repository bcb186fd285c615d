"""One document of several."""

from typing import Any

from kubewright.apiserver.openapi.aggregated import merge


def refers(name: str) -> dict[str, Any]:
    return {"$ref": f"#/definitions/{name}"}


def test_only_what_the_paths_need_is_added() -> None:
    """Every server repeats the definitions of all that it was built with."""
    ours: dict[str, Any] = {"paths": {}, "definitions": {}}
    definitions = {"A": {"properties": {"b": refers("B")}}, "B": {"type": "object"}, "C": {}}

    merge(ours, {"paths": {"/a": {"get": refers("A")}}, "definitions": definitions})

    assert set(ours["definitions"]) == {"A", "B"}
    assert ours["paths"] == {"/a": {"get": refers("A")}}


def test_the_same_definition_is_shared_whatever_its_prose() -> None:
    """ObjectMeta of another release has another description, and is the same thing."""
    ours: dict[str, Any] = {"paths": {}, "definitions": {"A": {"type": "object"}}}
    theirs = {"A": {"type": "object", "description": "New words.", "x-a": 1}}

    merge(ours, {"paths": {"/a": refers("A")}, "definitions": theirs})

    assert ours["definitions"] == {"A": {"type": "object"}}


def test_another_definition_of_the_same_name_gets_another_name() -> None:
    """Both servers keep their own definition."""
    ours: dict[str, Any] = {"paths": {}, "definitions": {"A": {"type": "object"}}}

    merge(ours, {"paths": {"/a": refers("A")}, "definitions": {"A": {"type": "string"}}})

    assert ours["definitions"] == {"A": {"type": "object"}, "A_v2": {"type": "string"}}
    assert ours["paths"] == {"/a": refers("A_v2")}


def test_our_own_paths_stay() -> None:
    """Another server must not describe paths that we serve."""
    ours: dict[str, Any] = {"paths": {"/a": 1}, "definitions": {}}

    merge(ours, {"paths": {"/a": 2}})

    assert ours["paths"] == {"/a": 1}

"""The generator of the schemas of built-in types: what it keeps, and what it leaves out."""

import json
from pathlib import Path
from typing import Any

import pytest
from tools.generate_schemas import main
from tools.kindgen.document import Document
from tools.kindgen.names import InputError
from tools.kindgen.schemas import definitions_in, label_of, merged, reachable, render

from kubewright.kinds import _schemas

ROOT = Path(__file__).parents[3]
OPENAPI = ROOT / "src/kubewright/apiserver/data/kubernetes-openapi-v2.json"
SHOP = "io.k8s.api.shops.v1."

Json = dict[str, Any]


def definition(schema: Json, name: str = "Shop", **others: Json) -> Json:
    """Return what is kept of a definition in a document with *others*."""
    found = {SHOP + name: schema, **{SHOP + other: one for other, one in others.items()}}
    return definitions_in([{"components": {"schemas": found}}])[f"shops.v1.{name}"]


def object_of(**properties: Json) -> Json:
    """Return the schema of an object."""
    return {"type": "object", "properties": properties}


def test_prose_and_enumerations_are_left_out() -> None:
    """A CRD must not refuse the value that the next version of Kubernetes adds."""
    told = {"type": "string", "description": "How.", "enum": ["a", "b"], "format": "byte"}

    kept = definition(object_of(description=told) | {"description": "What."})

    assert kept == object_of(description={"type": "string", "format": "byte"})


def test_zeros_are_no_defaults_unless_they_are_meant() -> None:
    """They stand at every field that is no pointer in Go."""
    fields: dict[str, Json] = {
        "a": {"type": "string", "default": ""},
        "b": {"type": "string", "default": "TCP"},
        "c": {"allOf": [{"$ref": f"#/components/schemas/{SHOP}Part"}], "default": {}},
    }

    kept = definition(object_of(**fields), Part=object_of())

    assert kept["properties"] == {
        "a": {"type": "string"},
        "b": {"type": "string", "default": "TCP"},
        "c": {"$ref": "shops.v1.Part"},
    }


@pytest.mark.parametrize(("required", "kind"), [([], "atomic"), (["name"], "map")])
def test_a_map_whose_items_may_lack_the_key_is_atomic(required: list[str], kind: str) -> None:
    """No server takes a CRD with such a map."""
    parts = {
        "type": "array",
        "items": {"allOf": [{"$ref": f"#/components/schemas/{SHOP}Part"}]},
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    }
    part = object_of(name={"type": "string"}) | {"required": required}

    kept = definition(object_of(parts=parts), Part=part)

    assert kept["properties"]["parts"]["x-kubernetes-list-type"] == kind
    assert ("x-kubernetes-list-map-keys" in kept["properties"]["parts"]) is (kind == "map")


def test_a_definition_is_kept_once_as_long_as_it_stays_the_same() -> None:
    """Fourteen versions take less than twice the room of one."""
    old, new = {"type": "object"}, object_of(a={"type": "string"})

    states = merged({"1.1": {"x": old}, "1.2": {"x": old}, "1.3": {"x": new}, "1.4": {}})

    assert states == {"x": [("1.1", old), ("1.3", new), ("1.4", None)]}


def test_what_was_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A definition that came later, or went away, is not there in other versions."""
    old, new = {"type": "object"}, object_of(a={"type": "string"})
    path = tmp_path / "schemas.json"
    path.write_text(render({"1.9": {"x": old}, "1.10": {"x": new, "y": old}, "1.11": {"y": old}}))
    monkeypatch.setattr(_schemas, "__file__", str(tmp_path / "_schemas.py"))
    caches = (_schemas._file, _schemas.definitions)
    for cache in caches:
        cache.cache_clear()
    try:
        assert _schemas.versions() == ("1.9", "1.10", "1.11")
        assert _schemas.definitions("1.9") == {"x": old}
        assert _schemas.definitions("1.10") == {"x": new, "y": old}
        assert _schemas.definitions("1.11") == {"y": old}
    finally:
        for cache in caches:
            cache.cache_clear()


def test_the_newest_schemas_are_those_of_the_document_that_the_classes_are_made_of() -> None:
    """Two documents of two versions would make classes and CRDs that contradict each other."""
    document = Document.of(json.loads(OPENAPI.read_text()))
    as_v3 = [{"components": {"schemas": document.definitions}}]
    wanted = reachable(definitions_in(as_v3), map(label_of, document.definitions))
    found = _schemas.definitions("1.37")

    differ = [label for label in wanted if _shape(wanted[label]) != _shape(found[label])]

    assert wanted.keys() == found.keys()
    assert differ == []


def _shape(schema: Any) -> Any:
    """Return *schema* without defaults, and without the maps that only those make possible."""
    if not isinstance(schema, dict):
        return schema
    left = {"default", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"}
    return {key: _shape(one) for key, one in schema.items() if key not in left}


def test_a_folder_without_documents_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written then."""
    out = tmp_path / "schemas.json"

    assert main([f"1.37={tmp_path}", "--kinds", str(OPENAPI), "--out", str(out)]) == 2
    assert "there is no *_openapi.json" in capsys.readouterr().err
    assert not out.exists()


def test_documents_without_schemas_are_refused() -> None:
    """Those of version 2 have their definitions elsewhere."""
    with pytest.raises(InputError, match="no OpenAPI v3 documents"):
        definitions_in([{"definitions": {}}])

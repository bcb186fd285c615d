"""The way back: whatever a CRD holds, the classes made of it give the same schema."""

import ast
import importlib.util
import re
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kubewright.crd
from kubewright.api.meta import Condition, LabelSelector
from kubewright.api.resource import document, read
from kubewright.crd import (
    Options,
    classes_from,
    custom_resource_definition,
    load_classes,
    schema_of,
    to_yaml,
)
from kubewright.errors import SchemaError
from kubewright.kinds.core.v1 import PodTemplateSpec
from tests.golden.crd.every import every_crd

Schema = dict[str, Any]


def crd(schema: Schema, **version: Any) -> dict[str, Any]:
    """Return a CRD of the kind Shop with *schema* as its spec."""
    root = {"type": "object", "properties": {"spec": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Shop", "plural": "shops"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": root},
                    **version,
                }
            ],
        },
    }


def on_one_line(source: str) -> str:
    """Return *source* without the layout, which has tests of its own."""
    return re.sub(r"(?<=[\[({]) |,? (?=[\])}])", "", " ".join(source.split()))


def there_and_back(schema: Schema) -> Schema:
    """Return the schema of the spec of the class made from *schema*."""
    made = custom_resource_definition(load_classes(crd(schema)).Shop)
    root: Schema = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    spec: Schema = root["properties"]["spec"]
    return spec


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=4,
)
texts = st.text(max_size=12) | st.sampled_from(
    ["A size.", "Two\nlines.", '"', "back\\slash", '"""', "  indented", "trailing ", "a\n\n  b", ""]
)
names = st.sampled_from(
    ["size", "podIPs", "clusterIP", "x-y", "class", "list", "str", "self", "3d", "$ref", "key", "é",
     "apiVersion", "metadata", "a_b", "aB", "ab", "AB", "_x", "__init__", "", "a b", "spec", "kw"]
) | st.text(max_size=4)  # fmt: skip
small = st.integers(0, 9)
rule = st.fixed_dictionaries(
    {"rule": st.sampled_from(["true", "self == oldSelf", ""])},
    optional={"message": texts, "reason": st.just("FieldValueInvalid"), "fieldPath": st.just(".a")},
)
anything: dict[str, st.SearchStrategy[Any]] = {
    "description": texts,
    "default": json_values,
    "nullable": st.booleans(),
    "example": json_values,
    "title": texts,
    "externalDocs": st.fixed_dictionaries({"url": texts}, optional={"description": texts}),
    "x-kubernetes-validations": st.lists(rule, max_size=2),
    "oneOf": st.lists(st.just({"required": ["a"]}), min_size=1, max_size=1),
}


def typed(kind: str, **keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[Schema]:
    """Return schemas of one type with some of *keywords*."""
    return st.fixed_dictionaries({"type": st.just(kind)}, optional={**anything, **keywords})


numbers = {
    "minimum": small,
    "maximum": small,
    "exclusiveMinimum": st.booleans(),
    "exclusiveMaximum": st.booleans(),
    "multipleOf": small,
}
strings = {
    "format": st.sampled_from(["date-time", "byte", "email", "int32", ""]),
    "minLength": small,
    "maxLength": small,
    "pattern": texts,
    "enum": st.lists(st.text(max_size=3) | st.none() | st.integers(), max_size=3),
}
preserve = st.just(True)
scalars = (
    typed("string", **strings)
    | typed("integer", **numbers, format=st.sampled_from(["int32", "int64"]), enum=st.lists(small))
    | typed("number", **numbers, format=st.sampled_from(["float", "double"]))
    | typed("boolean", enum=st.lists(st.booleans(), max_size=2))
    | st.fixed_dictionaries({"x-kubernetes-preserve-unknown-fields": preserve}, optional=anything)
    | st.fixed_dictionaries(
        {"x-kubernetes-int-or-string": st.just(True)},
        optional={**anything, "anyOf": st.just([{"type": "integer"}, {"type": "string"}])},
    )
)


def objects(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Return schemas with others inside."""
    arrays = typed(
        "array",
        items=inner,
        minItems=small,
        uniqueItems=st.just(False),
        **{
            "x-kubernetes-list-type": st.sampled_from(["map", "set", "atomic"]),
            "x-kubernetes-list-map-keys": st.lists(names, max_size=2),
        },
    )
    maps = typed("object", additionalProperties=inner | st.booleans(), maxProperties=small)
    models = typed(
        "object",
        properties=st.dictionaries(names, inner, max_size=4),
        required=st.lists(names, max_size=3, unique=True).map(sorted),
        **{
            "x-kubernetes-map-type": st.sampled_from(["granular", "atomic"]),
            "x-kubernetes-preserve-unknown-fields": preserve,
            "x-kubernetes-embedded-resource": st.just(True),
        },
    )
    return arrays | maps | models


schemas = st.recursive(scalars, objects, max_leaves=8)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(schemas)
def test_every_schema_comes_back_equal(schema: Schema) -> None:
    """A field that were lost or changed would be pruned from the users' objects."""
    assert repr(sorted_all(there_and_back(schema))) == repr(sorted_all(schema))


def sorted_all(value: Any) -> Any:
    """Return *value* with all keys sorted, so that only content is compared."""
    if isinstance(value, dict):
        return {key: sorted_all(value[key]) for key in sorted(value)}
    return [sorted_all(one) for one in value] if isinstance(value, list) else value


def test_the_golden_classes_give_the_golden_schemas_again() -> None:
    """The rich CRD, with all three versions, survives the way there and back."""
    wanted = every_crd()

    module = load_classes(wanted)
    got = custom_resource_definition(module.EveryV1, module.EveryV1alpha1, module.EveryV1beta1)

    assert got == wanted


def test_the_source_can_be_saved_and_imported(tmp_path: Path) -> None:
    """That is what it is for; descriptions are then read from the file."""
    path = tmp_path / "every_classes.py"
    path.write_text(classes_from(every_crd()))
    spec = importlib.util.spec_from_file_location("every_classes", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["every_classes"] = module

    try:
        spec.loader.exec_module(module)
        got = custom_resource_definition(module.EveryV1, module.EveryV1alpha1, module.EveryV1beta1)
    finally:
        del sys.modules["every_classes"]

    assert got == every_crd()


def test_real_pod_templates_come_back_equal_without_raw_schemas() -> None:
    """A CRD with a whole pod template is what people have, and its classes must be readable."""
    schema = schema_of(PodTemplateSpec)
    source = classes_from(crd(schema))

    assert sorted_all(there_and_back(schema)) == sorted_all(schema)
    assert "kw.Schema" not in source


def test_yaml_and_dict_give_the_same_source() -> None:
    """People have YAML; what it says in other words must not matter."""
    document = every_crd()

    assert classes_from(to_yaml(document)) == classes_from(document)


def test_the_source_is_a_module_that_imports_what_it_uses() -> None:
    """The text is written to a file, so it must stand alone."""
    tree = ast.parse(classes_from(every_crd()))

    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert imported == {"datetime", "Annotated", "Any", "Literal", "kw"}


def test_a_plain_source_imports_nothing_else() -> None:
    """An unused import would fail the linter of the user."""
    source = classes_from(crd({"type": "object", "properties": {"a": {"type": "string"}}}))

    assert "typing" not in source
    assert "datetime" not in source


def test_every_generated_name_exists_in_kubewright() -> None:
    """The markers in the text are those that the package exports."""
    names = set(re.findall(r"kw\.(\w+)", classes_from(every_crd())))
    elsewhere = {"Model", "Resource", "resource", "field", "Column", "Scale"}
    elsewhere |= {"Condition", "LabelSelector"}

    assert names - elsewhere - {"IntOrString", "Quantity"} <= set(kubewright.crd.__all__)


def test_what_no_marker_says_becomes_a_patch() -> None:
    """Only the strange part is written raw; the rest stays readable."""
    schema = {"type": "string", "maxLength": 3, "not": {"pattern": "^a"}}
    source = classes_from(crd({"type": "object", "properties": {"name": schema}}))

    assert 'kw.MaxLength(3), kw.SchemaPatch({"not": {"pattern": "^a"}})' in on_one_line(source)


def test_a_schema_without_a_type_is_kept_verbatim() -> None:
    """Where nothing else fits, the raw schema still does."""
    schema = {"oneOf": [{"type": "string"}]}

    assert there_and_back(schema) == schema
    assert "Annotated[Any, kw.Schema(" in classes_from(crd(schema))


def test_a_kind_without_a_schema_keeps_everything() -> None:
    """Very old CRDs have none, which means that nothing is pruned."""
    document = crd({})
    del document["spec"]["versions"][0]["schema"]

    assert "@kw.rules(kw.PreserveUnknownFields())" in classes_from(document)


def test_irregular_names_are_spelled_out() -> None:
    """The JSON name must stay what it is, whatever Python can write."""
    fields = {
        "clusterIP": {"type": "string"},
        "class": {"type": "string"},
        "a-b": {"type": "string"},
    }
    source = classes_from(crd({"type": "object", "properties": fields}))

    assert 'cluster_ip: str | None = kw.field(default=None, name="clusterIP")' in source
    assert 'a_b: str | None = kw.field(default=None, name="a-b")' in source
    assert "class_: str | None = None" in source


def test_two_paths_that_spell_one_class_name_get_two_classes() -> None:
    """``a.bC`` and ``aB.c`` would both be ShopSpecABC."""
    leaf = {"type": "object", "properties": {"x": {"type": "string"}}}
    other = {"type": "object", "properties": {"y": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"bC": leaf}},
            "aB": {"type": "object", "properties": {"c": other}},
        },
    }
    source = classes_from(crd(schema))

    assert "class ShopSpecABC(" in source
    assert "class ShopSpecABC2(" in source
    assert there_and_back(schema) == schema


def test_the_words_for_what_all_kinds_have_become_ours() -> None:
    """Each tool words apiVersion, kind and metadata its own way; the meaning is the same."""
    document = crd({"type": "object", "properties": {"a": {"type": "string"}}})
    root = document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["properties"]["apiVersion"] = {"type": "string", "description": "Other words."}

    source = classes_from(document)

    assert "Other words" not in source
    assert "SchemaPatch" not in source


@pytest.mark.parametrize("subresources", [{}, {"status": {}}])
@pytest.mark.parametrize("fields", [{}, {"status": {"type": "object"}}])
def test_a_status_has_its_subresource_if_the_crd_says_so(fields: Any, subresources: Any) -> None:
    """Argo's workflows have a status that is written with the rest."""
    document = crd({"type": "object"}, subresources=subresources)
    root = document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["properties"] |= fields

    made = custom_resource_definition(load_classes(document).Shop)["spec"]["versions"][0]

    assert made.get("subresources", {}) == subresources


def object_of(**properties: Schema) -> Schema:
    """Return the schema of an object."""
    return {"type": "object", "properties": properties}


TEXT: Schema = {"type": "string"}


def test_equal_objects_become_one_class() -> None:
    """Argo's Workflow has 2,357 objects, and few of them are different."""
    part = object_of(size=TEXT, colour=TEXT)
    schema = object_of(
        deep=object_of(inside=part), short=part, many={"type": "array", "items": part}
    )

    source = classes_from(crd(schema))

    assert there_and_back(schema) == schema
    assert re.findall(r"class (\w+)", source) == [
        "ShopSpecShort",
        "ShopSpecDeep",
        "ShopSpec",
        "Shop",
    ]
    assert "many: list[ShopSpecShort] = []" in source


def test_objects_that_differ_in_their_descriptions_become_one_class() -> None:
    """The class says what most of its places say, and the others say it at the field."""
    part = object_of(size=TEXT)
    schema = object_of(
        one={**part, "description": "A part."},
        two={**part, "description": "A part."},
        other={**part, "description": "Another part."},
        many={"type": "array", "items": {**part, "description": "One of many."}},
    )

    source = classes_from(crd(schema))

    assert there_and_back(schema) == schema
    assert len(re.findall(r"^class ", source, re.MULTILINE)) == 3
    assert '"""A part."""' in source
    assert 'other: ShopSpecOne | None = None\n    """Another part."""' in source


def test_a_place_without_a_description_leaves_the_class_without_one() -> None:
    """It would get one otherwise."""
    part = object_of(size=TEXT)
    schema = object_of(one=part, two={**part, "description": "A part."})

    assert there_and_back(schema) == schema


@pytest.mark.parametrize("version", ["1.30", "1.37"])
def test_a_builtin_type_is_used_where_the_schema_is_its_own(version: str) -> None:
    """The classes are there, with methods that know them; a copy for each CRD helps nobody."""
    template = schema_of(PodTemplateSpec, options=Options(kubernetes=version))
    schema = object_of(template={**template, "description": "What runs."})

    source = classes_from(crd(schema))

    old = f'Annotated[core_v1.PodTemplateSpec, kw.KubernetesVersion("{version}")]'
    wanted = old if version != "1.37" else "core_v1.PodTemplateSpec"
    assert "from kubewright.kinds.core import v1 as core_v1" in source
    assert f"{wanted} | None" in on_one_line(source)
    assert '= None\n    """What runs."""' in source
    assert there_and_back(schema) == schema


def test_a_builtin_type_may_leave_its_metadata_open() -> None:
    """controller-gen does so unless it is told otherwise."""
    bare = schema_of(PodTemplateSpec, options=Options(embedded_object_meta=False))
    schema = object_of(template=bare)

    source = classes_from(crd(schema))

    assert "core_v1.PodTemplateSpec, kw.SchemaPatch(" in on_one_line(source)
    assert there_and_back(schema) == schema


def test_an_object_of_anything_can_be_there_and_empty() -> None:
    """``emptyDir: {}`` says something that its absence does not."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    shop = load_classes(crd(object_of(nothing={"type": "object"}, any=anything))).Shop

    made = deepcopy(read(b'{"spec": {"nothing": {}, "any": {}}}', shop))

    assert document(made)["spec"] == {"nothing": {}, "any": {}}
    assert "spec" not in document(shop())


def test_code_in_a_crd_stays_text() -> None:
    """A CRD comes from strangers: nothing in it may run."""
    evil = '"""\nimport os\nos.abort()\n"""'
    schema = {
        "type": "object",
        "description": evil,
        "properties": {f"x: int = 1\n{evil}": {"type": "string", "default": evil}},
    }

    assert there_and_back(schema) == schema


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: Pod", "there is no CustomResourceDefinition here, but Pod"),
        ("", "there is no CustomResourceDefinition here, but nothing"),
        ("{", "this is not YAML"),
        ("kb.yaml", "'kb.yaml' looks like a path: give its text, Path('kb.yaml').read_text()"),
        ("/tmp/kb", "'/tmp/kb' looks like a path"),
        ("- a", "a manifest is a mapping, not ['a']"),
        (
            "kind: CustomResourceDefinition",
            "this is not an apiextensions.k8s.io/v1 CRD: it has no 'spec'",
        ),
        (
            "kind: CustomResourceDefinition\nspec: {a: [.inf]}",
            "a CRD without a name: spec.a[0] is inf, which is no number in JSON",
        ),
    ],
)
def test_what_is_no_crd_is_refused(text: str, message: str) -> None:
    """The message says what was found instead."""
    with pytest.raises(SchemaError, match=re.escape(message)):
        classes_from(text)


def test_a_path_is_no_text() -> None:
    """The message says how to get the text."""
    path: Any = Path("kb.yaml")

    with pytest.raises(SchemaError, match=r"looks like a path: give its text"):
        classes_from(path)


def test_a_crd_of_json_on_one_line_is_no_path() -> None:
    """What only has a slash in it is still YAML."""
    text = '{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"}'

    with pytest.raises(SchemaError, match="it has no 'spec'"):
        classes_from(text)


def with_descriptions(schema: Schema) -> Schema:
    """Return *schema* as controller-gen writes it, with a description everywhere."""
    fields = {name: with_descriptions(one) for name, one in schema.get("properties", {}).items()}
    made = {**schema, "description": "A text."}
    if "items" in schema:
        made["items"] = with_descriptions(schema["items"])
    return {**made, "properties": fields} if fields else made


def test_conditions_and_selectors_become_our_classes() -> None:
    """Whoever has `kw.Condition` has `kw.set_condition`, and one class for all kinds."""
    listed = {"type": "array", "items": schema_of(Condition), "x-kubernetes-list-type": "atomic"}
    fields = {"conditions": listed, "selector": schema_of(LabelSelector)}

    source = classes_from(crd(with_descriptions({"type": "object", "properties": fields})))

    assert 'conditions: Annotated[list[kw.Condition], kw.ListType("atomic")] = []' in source
    assert 'selector: kw.LabelSelector | None = None\n    """A text."""' in source
    assert source.count("class ") == 2


def test_what_differs_from_a_condition_stays_a_class_of_its_own() -> None:
    """The server would check something else than the CRD says."""
    condition = schema_of(Condition)
    condition["properties"]["status"]["enum"] = ["True", "False"]
    schema = {"type": "object", "properties": {"condition": condition}}

    assert "kw.Condition" not in classes_from(crd(schema))
    assert there_and_back(schema) == schema


def test_a_default_of_a_selector_stays() -> None:
    """What a field says of itself is not of its type."""
    selector = {**schema_of(LabelSelector), "default": {"matchLabels": {"description": "x"}}}
    schema = {"type": "object", "properties": {"selector": selector}}

    assert there_and_back(schema) == schema

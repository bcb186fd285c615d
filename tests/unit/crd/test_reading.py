"""CRDs as files have them: whatever is wrong is said in a sentence that names the place."""

from copy import deepcopy
from typing import Any

import pytest

from kubewright.crd import to_yaml
from kubewright.crd.reading import check_document, name_of, read_definitions, schema_in, versions_of
from kubewright.errors import SchemaError

CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "shops.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": "Shop", "plural": "shops"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "served": True, "storage": True}],
    },
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the CRD with *value* at *path*; ``None`` removes what is there."""
    document = deepcopy(CRD)
    *parents, last = path.split(".")
    place: Any = document
    for name in parents:
        place = place[int(name) if name.isdigit() else name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return document


def with_schema(schema: Any) -> dict[str, Any]:
    """Return the CRD with this schema."""
    return changed("spec.versions.0.schema", {"openAPIV3Schema": schema})


def test_other_objects_are_told_apart() -> None:
    """A release manifest has a CRD between Deployments and roles."""
    text = to_yaml({"kind": "Namespace"}, CRD, {"kind": "Role"}, {"a": "b"})

    found = read_definitions(text, "all.yaml")

    assert [name_of(one) for one in found.crds] == ["shops.example.com"]
    assert found.others == ["Namespace", "Role", "object without a kind"]


@pytest.mark.parametrize("kind", ["List", "CustomResourceDefinitionList"])
def test_lists_are_looked_into(kind: str) -> None:
    """That is what `kubectl get crds -o yaml` prints, and what the server answers."""
    item = {key: value for key, value in CRD.items() if kind == "List" or key != "kind"}

    found = read_definitions(to_yaml({"kind": kind, "items": [item]}), "list.yaml")

    assert [name_of(one) for one in found.crds] == ["shops.example.com"]


def test_json_is_read_even_with_tabs() -> None:
    """YAML's readers refuse tabs, and `jq --tab` writes them."""
    text = '{\n\t"kind": "CustomResourceDefinition",\n\t"apiVersion": "v2"}'

    with pytest.raises(SchemaError, match=r"^a\.json: a CRD without a name is of v2, and not of"):
        read_definitions(text, "a.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b\nc: d: e", "x.yaml: this is not YAML: mapping values are not allowed"),
        ("{{ if .Values.crds }}\na: b", "Is it a Helm template? Render it first, with `helm temp"),
        ("- 1", "x.yaml, line 1: an object is a mapping, not [1]"),
        ("a: 1\n---\nkind: List\nitems: [3]", "x.yaml, line 3[0]: an object is a mapping, not 3"),
        ("[" * 5000, "x.yaml: this YAML is nested too deeply to be read"),
        ("a: " + "[" * 5000 + "]" * 5000, "x.yaml: this YAML is nested too deeply to be read"),
        ("a: &a [*a]", "x.yaml, line 1: its YAML aliases unfold to more than 5,000,000 values"),
        ("a: " + "9" * 5000, "x.yaml: this is not YAML: Exceeds the limit"),
        ("kind: CustomResourceDefinition", "x.yaml, line 1: a CRD without a name is of no apiVer"),
    ],
)
def test_what_is_not_a_manifest_is_refused(text: str, message: str) -> None:
    """The reader learns the file and the line, not the traceback of a parser."""
    with pytest.raises(SchemaError) as caught:
        read_definitions(text, "x.yaml")

    assert message in str(caught.value)


def test_aliases_that_explode_are_refused() -> None:
    """Nine lines of YAML can stand for a billion values; the file may come from the web."""
    lines = ["a: &a [1,1,1,1,1,1,1,1,1,1]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]")

    with pytest.raises(SchemaError, match="unfold to more than"):
        read_definitions("\n".join(lines), "bomb.yaml")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            changed("apiVersion", "apiextensions.k8s.io/v1beta1"),
            (
                "shops.example.com is of apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 and"
                " later do not serve. Take the CRD of a newer release of that project, or read it"
                " from a cluster, which stores it in v1"
            ),
        ),
        (changed("spec", None), "shops.example.com: spec is missing"),
        (changed("spec", [1]), "shops.example.com: spec is not a mapping"),
        (
            changed("spec.names", None),
            (
                "shops.example.com: spec.names is missing; if this is a patch of kustomize, build"
                " it first, with `kustomize build`"
            ),
        ),
        (changed("spec.names.kind", ""), "shops.example.com: spec.names.kind is missing"),
        (changed("spec.group", 3), "shops.example.com: spec.group is not a text"),
        (
            changed("spec.group", 'x.com"""\nimport os\n"""'),
            'spec.group is wrong: \'x.com"""\\nimport os\\n"""\' is not a valid name: in each part',
        ),
        (changed("spec.group", "x\n"), "spec.group is wrong: 'x\\n' is not a valid name"),
        (
            changed("spec.names.kind", "Shop>"),
            (
                "spec.names.kind is wrong: 'Shop>' is not a valid name: letters, digits and '-' are"
                " allowed, and it must begin with a letter and not end with '-'"
            ),
        ),
        (changed("spec.names.kind", "\u212aind"), "spec.names.kind is wrong: "),
        (changed("spec.names.plural", "Shops"), "spec.names.plural is wrong: 'Shops' is not a"),
        (changed("spec.names.singular", "a shop"), "spec.names.singular is wrong: 'a shop'"),
        (changed("spec.names.singular", 3), "spec.names.singular is not a text"),
        (changed("spec.versions.0.name", "1"), "spec.versions[0].name is wrong: '1' is not a"),
        (
            changed("spec.versions.0.name", "v" * 64),
            "spec.versions[0].name has 64 characters, and at most 63 are allowed",
        ),
        (changed("spec.scope", "World"), "spec.scope is neither Namespaced nor Cluster, but 'Wo"),
        (changed("spec.versions", []), "spec.versions is not a list of versions"),
        (changed("spec.versions", [1]), "spec.versions[0] is not a mapping"),
        (changed("spec.versions", [{"name": "v1"}] * 2), "spec.versions has v1 twice"),
        (changed("spec.versions.0.schema", 3), "spec.versions[0].schema is not a mapping"),
        (with_schema([]), "spec.versions[0].schema.openAPIV3Schema is not a schema, but []"),
        (
            with_schema({"properties": {"a": {"items": 3}}}),
            "spec.versions[0].schema.openAPIV3Schema.properties.a.items is not a schema, but 3",
        ),
        (with_schema({"properties": []}), "openAPIV3Schema.properties is not a mapping"),
        (with_schema({"required": "a"}), "openAPIV3Schema.required is not a list"),
        (
            with_schema({"properties": {"a": {"default": float("inf")}}}),
            "[0].schema.openAPIV3Schema.properties.a.default is inf, which is no number in JSON",
        ),
        (with_schema({"minimum": float("nan")}), "openAPIV3Schema.minimum is nan, which is no num"),
        (with_schema({"example": [b"x"]}), "example[0] is of the type bytes, which JSON does not"),
        (
            changed("spec.versions.0.subresources", []),
            "spec.versions[0].subresources is not a mapping",
        ),
    ],
)
def test_a_malformed_crd_is_refused_at_its_fault(document: Any, message: str) -> None:
    """Otherwise each reader of it fails in a way of its own, deep inside."""
    with pytest.raises(SchemaError) as caught:
        check_document(document, "x.yaml")

    assert str(caught.value).startswith("x.yaml: ")
    assert message in str(caught.value)


def test_a_version_without_a_schema_lets_everything_pass() -> None:
    """So does the server."""
    (version,) = versions_of(CRD)

    assert schema_in(version) == {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
    }

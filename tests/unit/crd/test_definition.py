"""CRDs: names, versions, subresources, and what the versions must agree on."""

from typing import Any

import pytest

from kubewright.api.definition import Column, Scale
from kubewright.api.kind import GroupKind
from kubewright.api.model import Model, field
from kubewright.api.resource import Resource, resource
from kubewright.crd import (
    conversion_webhook,
    custom_resource_definition,
    custom_resource_definitions,
)
from kubewright.errors import SchemaError, SchemeError
from kubewright.kinds.core.v1 import Pod
from tests.golden.crd.rewrite import FOLDER, golden_files

FILES = golden_files()


class Spec(Model):
    replicas: int = 1
    colour: str | None = None


class Status(Model):
    replicas: int = 0
    selector: str | None = None


def shop(version: str = "v1", *, group: str = "example.com", **options: Any) -> type[Resource]:
    """Return a kind called Shop."""

    @resource(group=group, version=version, kind="Shop", **options)
    class Shop(Resource):
        spec: Spec
        status: Status = field(default_factory=Status)

    return Shop


@resource(group="example.com", version="v1")
class Bare(Resource):
    size: int


def version_of(*kinds: type[Resource]) -> dict[str, Any]:
    """Return the first version of the CRD of *kinds*."""
    found: dict[str, Any] = custom_resource_definition(*kinds)["spec"]["versions"][0]
    return found


def test_names_follow_from_the_kind() -> None:
    """They are what kubectl and request paths use."""
    made = custom_resource_definition(shop())

    assert made["metadata"] == {"name": "shops.example.com"}
    assert made["spec"]["group"] == "example.com"
    assert made["spec"]["scope"] == "Namespaced"
    assert made["spec"]["names"] == {
        "kind": "Shop",
        "listKind": "ShopList",
        "plural": "shops",
        "singular": "shop",
    }


def test_names_can_be_given() -> None:
    """Whatever kubectl's users are to type."""
    kind = shop(
        plural="shoppes",
        singular="shoppe",
        list_kind="Shoppes",
        short_names=["sh"],
        categories=["all"],
        scope="Cluster",
        annotations={"a": "b"},
        labels={"c": "d"},
    )

    made = custom_resource_definition(kind)

    assert made["metadata"] == {
        "name": "shoppes.example.com",
        "annotations": {"a": "b"},
        "labels": {"c": "d"},
    }
    assert made["spec"]["scope"] == "Cluster"
    assert made["spec"]["names"] == {
        "categories": ["all"],
        "kind": "Shop",
        "listKind": "Shoppes",
        "plural": "shoppes",
        "shortNames": ["sh"],
        "singular": "shoppe",
    }


def test_the_status_subresource_comes_with_the_field() -> None:
    """Without it every status update would be an update of the spec as well."""
    assert version_of(shop())["subresources"] == {"status": {}}
    assert "subresources" not in version_of(Bare)


def test_scale_columns_and_selectable_fields_are_said() -> None:
    """As declared, in the order declared."""
    version = version_of(
        shop(
            scale=Scale(label_selector_path=".status.selector"),
            columns=[
                Column("B", ".spec.colour"),
                Column("A", ".spec.replicas", type="integer", priority=1),
            ],
            selectable_fields=[".spec.colour"],
        )
    )

    assert version["subresources"]["scale"] == {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    assert version["additionalPrinterColumns"] == [
        {"name": "B", "jsonPath": ".spec.colour", "type": "string"},
        {"name": "A", "jsonPath": ".spec.replicas", "type": "integer", "priority": 1},
    ]
    assert version["selectableFields"] == [{"jsonPath": ".spec.colour"}]


def test_versions_are_sorted_and_one_is_stored() -> None:
    """By name, as controller-gen sorts them."""
    kinds = [shop("v1"), shop("v1beta1", storage=False), shop("v1alpha1", storage=False)]

    versions = custom_resource_definition(*kinds)["spec"]["versions"]

    found = [(one["name"], one["storage"]) for one in versions]
    assert found == [("v1", True), ("v1alpha1", False), ("v1beta1", False)]


def test_a_single_version_is_the_stored_one() -> None:
    """Whatever it says, there is no other."""
    assert version_of(shop(storage=False))["storage"] is True


def test_deprecated_and_unserved_versions_say_so() -> None:
    """The warning is what kubectl prints."""
    old = shop("v1alpha1", storage=False, served=False, deprecated=True)
    older = shop("v1alpha2", storage=False, deprecated="use v1")

    _, first, second = custom_resource_definition(shop(), old, older)["spec"]["versions"]

    assert (first["served"], first["deprecated"]) == (False, True)
    assert "deprecationWarning" not in first
    assert second["deprecationWarning"] == "use v1"


def test_a_conversion_is_passed_on() -> None:
    """Without one the server changes nothing but apiVersion."""
    made = custom_resource_definition(
        shop(), shop("v2", storage=False), conversion=conversion_webhook()
    )

    assert made["spec"]["conversion"] == {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {
                "service": {"name": "webhook-service", "namespace": "system", "path": "/convert"}
            },
            "conversionReviewVersions": ["v1"],
        },
    }
    assert "conversion" not in custom_resource_definition(shop())["spec"]


def test_kinds_are_grouped_and_sorted() -> None:
    """One CRD for each kind, however its classes are given."""
    one, other = shop("v1"), shop("v2", storage=False)
    conversion = {GroupKind("example.com", "Shop"): conversion_webhook()}

    made = custom_resource_definitions(one, Bare, other, one, conversions=conversion)

    assert [document["metadata"]["name"] for document in made] == [
        "bares.example.com",
        "shops.example.com",
    ]
    assert len(made[1]["spec"]["versions"]) == 2
    assert "conversion" in made[1]["spec"]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ([], "a CRD needs at least one class"),
        ([shop(), Bare], "Bare.example.com and Shop.example.com are two kinds: one CRD has one"),
        ([shop(), shop()], "Shop.example.com has two classes for v1"),
        (
            [shop(), shop("v2")],
            (
                "Shop.example.com must have one storage version and has v1 and v2: write"
                " storage=False in @kw.resource for every other version"
            ),
        ),
        (
            [shop(storage=False), shop("v2", storage=False)],
            "Shop.example.com must have one storage version and has none",
        ),
        ([shop(served=False)], "no version of Shop.example.com is served"),
        (
            [shop(), shop("v2", storage=False, scope="Cluster")],
            (
                "the versions of Shop.example.com differ in their scope: v1 says Namespaced,"
                " v2 says Cluster"
            ),
        ),
        (
            [shop(), shop("v2", storage=False, short_names=["s"])],
            "the versions of Shop.example.com differ in their names",
        ),
        (
            [shop(labels={"a": "b"}), shop("v2", storage=False, labels={"a": "c"})],
            "the versions of Shop.example.com differ in their labels: a",
        ),
        ([Pod], "Pod is a built-in kind, which has no CRD"),
    ],
)
def test_versions_that_contradict_each_other_are_refused(
    kinds: list[type[Resource]], message: str
) -> None:
    """A CRD says these things once for all its versions."""
    with pytest.raises(SchemaError) as caught:
        custom_resource_definition(*kinds)

    assert message in str(caught.value)


def test_an_undecorated_class_is_refused() -> None:
    """It has no group and no version."""

    class Undecorated(Resource):
        pass

    with pytest.raises(SchemeError, match=r"decorate it with @kw\.resource"):
        custom_resource_definition(Undecorated)


def test_the_document_is_in_order_and_plain() -> None:
    """Dicts and lists with sorted keys, ready for JSON or YAML."""
    made = custom_resource_definition(shop(columns=[Column("A", ".spec.replicas")]))

    assert list(made) == ["apiVersion", "kind", "metadata", "spec"]
    assert list(made["spec"]) == ["group", "names", "scope", "versions"]
    assert isinstance(made["spec"]["versions"][0]["additionalPrinterColumns"], list)


@pytest.mark.parametrize("name", FILES)
def test_the_golden_file_is_what_we_generate(name: str) -> None:
    """If a change is meant, ``python -m tests.golden.crd.rewrite`` shows it as a diff."""
    assert FILES[name] == (FOLDER / name).read_text()

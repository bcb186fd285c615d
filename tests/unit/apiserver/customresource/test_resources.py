"""What a definition adds to the server."""

from kubewright.apiserver.customresource.resources import VERBS, resources_of
from kubewright.apiserver.customresource.status import begin_deletion
from kubewright.apiserver.meta.names import version_rank
from tests.unit.apiserver.customresource.samples import NOW, crd_of, established, version_of


def test_each_version_is_a_resource() -> None:
    """Those that are not served have no verbs."""
    versions = [
        version_of("v1beta1", deprecated=True),
        version_of("v1", subresources={"status": {}, "scale": {"specReplicasPath": ".spec.n"}}),
        version_of("v0") | {"served": False},
    ]
    names = {"plural": "foos", "kind": "Foo", "shortNames": ["f"], "categories": ["all"]}

    old, new, gone = resources_of(established(crd_of(versions=versions, names=names)))

    assert (new.plural, new.singular, new.list_kind) == ("foos", "foo", "FooList")
    assert (new.verbs, gone.verbs) == (VERBS, ())
    assert (new.short_names, new.categories, new.hub) == (("f",), ("all",), "v1")
    kinds = [new.subresources[name]["responseKind"]["kind"] for name in ("status", "scale")]
    assert kinds == ["Foo", "Scale"]
    assert new.scale_paths == {"specReplicasPath": ".spec.n"}
    assert old.warning == "example.com/v1beta1 Foo is deprecated; use example.com/v1 Foo"
    assert new.warning == ""
    assert old.schema() is old.schema()


def test_versions_without_a_webhook_are_converted_by_name() -> None:
    """Nothing else changes."""
    versions = [version_of("v1"), version_of("v2")]

    first, second = resources_of(established(crd_of(versions=versions)))

    assert first.to_hub is None
    assert second.to_hub is not None
    assert second.from_hub is not None
    assert second.to_hub({"apiVersion": "example.com/v2"}) == {"apiVersion": "example.com/v1"}
    assert second.from_hub({"apiVersion": "example.com/v1"}) == {"apiVersion": "example.com/v2"}


def test_a_definition_on_its_way_out_takes_no_new_objects() -> None:
    """They would have to be deleted at once."""
    crd = established(crd_of())
    begin_deletion(crd, now=NOW)

    (resource,) = resources_of(crd)

    assert resource.verbs == ("delete", "deletecollection", "get", "list", "watch")


def test_versions_are_ranked_as_kubernetes_does() -> None:
    """Stable ones last, that is best; names that are none first, the longest worst."""
    given = ["v10", "v1alpha1", "foo1", "v2", "v1beta1", "foo10", "v1", "v11beta2", "v1alpha2"]
    best_last = ["foo10", "foo1", "v1alpha1", "v1alpha2", "v1beta1", "v11beta2", "v1", "v2", "v10"]

    assert sorted(given, key=version_rank) == best_last

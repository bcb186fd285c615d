"""Kinds as a reader sees them."""

from kubewright.scaffold.reference.kind import kinds_of
from tests.unit.scaffold.reference.shop import shop_crd


def test_a_kind_has_all_that_a_user_of_it_needs() -> None:
    """Names, flags, columns, subresources and an example."""
    sample = "kind: Shop"

    (kind,) = kinds_of([shop_crd()], {("shops.example.com/v1", "Shop"): [sample]})

    assert (kind.name, kind.crd, kind.scope) == ("Shop", "shops.shops.example.com", "Namespaced")
    assert (kind.short_names, kind.categories, kind.conversion) == (("sh",), ("all",), True)
    stored, old = kind.versions
    assert (stored.api_version, stored.anchor, stored.flags) == (
        "shops.example.com/v1",
        "shop-v1",
        ("stored",),
    )
    assert old.flags == ("not served", "deprecated")
    assert [(one.name, one.wide) for one in stored.columns] == [("Size", False), ("Age", True)]
    assert stored.subresources == ("status", "scale (.spec.replicas)")
    assert stored.selectable == (".spec.size",)
    assert (stored.samples, old.samples) == ((sample,), ())


def test_two_kinds_of_one_name_have_different_anchors() -> None:
    """Crossplane has a Usage in each of two groups."""
    first, second = shop_crd(), shop_crd()
    second["spec"]["group"] = "other.example.com"

    kinds = kinds_of([first, second], {})

    assert [kind.anchor for kind in kinds] == ["shop-other-example-com", "shop-shops-example-com"]
    anchors = [field.anchor for kind in kinds for version in kind.versions
               for top in version.fields for field in top.walk()]  # fmt: skip
    assert len(anchors) == len(set(anchors))

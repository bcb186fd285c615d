"""What becomes of a bundle that is installed."""

from typing import Any

import pytest

from kubewright.bundle.document import Document
from kubewright.bundle.installation import (
    Place,
    check_mode,
    check_upgrade,
    install_objects,
    package_label,
    strategy,
)
from kubewright.errors import ConfigError
from tests.unit.bundle.sample import Object, bundle, one

HERE = Place("here")


def installed(place: Place) -> dict[tuple[str, str, str], Object]:
    """Return the objects by kind, namespace and name."""
    found = bundle()
    assert found.csv is not None
    made = install_objects(found, found.csv, place, {})
    return {
        (each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]): each
        for each in made
    }


def test_it_is_what_the_project_was_made_of() -> None:
    """In the namespace that somebody chose."""
    found = installed(HERE)

    assert set(found) == {
        ("CustomResourceDefinition", "", "shops.example.com"),
        ("ClusterRole", "", "shop-viewer"),
        ("ServiceAccount", "here", "shop-manager"),
        ("ClusterRole", "", "here-shop.v0.1.0-cluster-0"),
        ("ClusterRoleBinding", "", "here-shop.v0.1.0-cluster-0"),
        ("ClusterRole", "", "here-shop.v0.1.0-0"),
        ("ClusterRoleBinding", "", "here-shop.v0.1.0-0"),
        ("Deployment", "here", "shop-manager"),
    }
    role = found["ClusterRole", "", "here-shop.v0.1.0-cluster-0"]
    binding = found["ClusterRoleBinding", "", "here-shop.v0.1.0-cluster-0"]
    assert role["rules"] == one("ClusterRole", "shop-role")["rules"]
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "shop-manager", "namespace": "here"}
    ]


def test_rights_are_where_it_looks() -> None:
    """And where it runs."""
    found = installed(Place("here", ("a", "b")))

    roles = [key for key in found if key[0] == "Role"]
    pod = found["Deployment", "here", "shop-manager"]["spec"]["template"]
    assert pod["spec"]["containers"][0]["env"] == [
        {"name": "OPERATOR_CONDITION_NAME", "value": "shop.v0.1.0"}
    ]
    assert roles == [("Role", place, "shop.v0.1.0-0") for place in ("here", "a", "b")]
    assert pod["metadata"]["annotations"] == {
        "olm.operatorNamespace": "here",
        "olm.targetNamespaces": "a,b",
    }


@pytest.mark.parametrize(
    ("place", "mode"),
    [
        (HERE, "AllNamespaces"),
        (Place("here", ("here",)), "OwnNamespace"),
        (Place("here", ("a",)), "SingleNamespace"),
        (Place("here", ("a", "b")), "MultiNamespace"),
    ],
)
def test_a_mode_has_to_be_supported(place: Place, mode: str) -> None:
    """The operator would see nothing, or may not look."""
    supported = {"type": mode, "supported": True}
    other = {"type": "Other", "supported": True}

    check_mode(Document("f", {"spec": {"installModes": [supported]}}), place)
    with pytest.raises(ConfigError, match=f"in the mode {mode}, only in Other. Say with --watch"):
        check_mode(Document("f", {"spec": {"installModes": [other]}}), place)


@pytest.mark.parametrize(
    ("spec", "annotations"),
    [
        ({"replaces": "shop.v0.1.0"}, {}),
        ({"skips": ["shop.v0.1.0"]}, {}),
        ({}, {"olm.skipRange": ">=0.1.0 <0.2.0"}),
    ],
)
def test_an_upgrade_follows_the_graph(spec: Object, annotations: Object) -> None:
    """As in a catalog."""
    new = Document(
        "f", {"metadata": {"name": "shop.v0.2.0", "annotations": annotations}, "spec": spec}
    )

    check_upgrade(new, {"metadata": {"name": "shop.v0.1.0"}, "spec": {"version": "0.1.0"}})
    check_upgrade(new, {"metadata": {"name": "shop.v0.2.0"}})
    with pytest.raises(ConfigError, match=r"shop.v0.0.1 is installed, and shop.v0.2.0"):
        check_upgrade(new, {"metadata": {"name": "shop.v0.0.1"}, "spec": {"version": "0.0.1"}})


def test_a_version_that_replaces_nothing_reads_how_it_would() -> None:
    """The makers of a second version forget it."""
    new = Document("f", {"metadata": {"name": "shop.v0.2.0"}})

    with pytest.raises(ConfigError, match=r"replaces nothing.*bundle --replaces shop\.v0\.1\.0`"):
        check_upgrade(new, {"metadata": {"name": "shop.v0.1.0"}, "spec": {"version": "0.1.0"}})


def test_the_label_fits() -> None:
    """However long names are."""
    assert package_label("shop", "here") == "operators.coreos.com/shop.here"
    assert len(package_label("s" * 63, "here").partition("/")[2]) == 63


def test_a_csv_without_a_strategy_has_none() -> None:
    """Other validators say so."""
    empty: dict[str, Any] = {}

    assert strategy(Document("f", empty)) == {}

"""What a catalog says about a bundle."""

from kubewright.bundle.catalog.entry import bundle_entry, edge_of
from kubewright.bundle.document import Document
from tests.unit.bundle.sample import CSV_PATH, bundle, changed

IMAGE = "registry.example.com/shop-bundle:v0.1.0"
DEPENDENCIES = """\
dependencies:
- {type: olm.package, value: {packageName: db, version: ">=1.0.0"}}
- {type: olm.gvk, value: {group: a, version: v1, kind: B}}
- {type: olm.constraint, value: {failureMessage: sorry, cel: {rule: "true"}}}
"""
PROPERTIES = "properties:\n- {type: olm.maxOpenShiftVersion, value: '4.9'}\n"


def test_it_has_the_properties_that_olm_resolves_by() -> None:
    """Which kinds it brings, and what it needs."""
    found = bundle(**{
        "metadata/dependencies.yaml": DEPENDENCIES, "metadata/properties.yaml": PROPERTIES,
    })  # fmt: skip
    assert found.csv is not None

    entry = bundle_entry(found, found.csv, IMAGE)

    assert (entry["name"], entry["package"], entry["image"]) == ("shop.v0.1.0", "shop", IMAGE)
    assert entry["properties"][:-1] == [
        {"type": "olm.package", "value": {"packageName": "shop", "version": "0.1.0"}},
        {"type": "olm.gvk", "value": {"group": "example.com", "kind": "Shop", "version": "v1"}},
        {"type": "olm.package.required", "value": {"packageName": "db", "versionRange": ">=1.0.0"}},
        {"type": "olm.gvk.required", "value": {"group": "a", "version": "v1", "kind": "B"}},
        {
            "type": "olm.constraint",
            "value": {"failureMessage": "sorry", "cel": {"rule": "true"}},
        },
        {"type": "olm.maxOpenShiftVersion", "value": "4.9"},
    ]


def test_a_catalog_shows_it_without_its_image() -> None:
    """The description, the icon, the examples."""
    found = bundle()
    assert found.csv is not None

    said = bundle_entry(found, found.csv, IMAGE)["properties"][-1]

    assert said["type"] == "olm.csv.metadata"
    assert said["value"]["displayName"] == "Shop"
    assert said["value"]["crdDescriptions"]["owned"][0]["kind"] == "Shop"
    assert "alm-examples" in said["value"]["annotations"]


def test_all_its_images_are_listed() -> None:
    """Whoever copies the catalog copies them, too."""
    found = changed(
        CSV_PATH, "spec", "relatedImages", value=[{"name": "db", "image": "example.com/db:1"}]
    )
    assert found.csv is not None

    assert bundle_entry(found, found.csv, IMAGE)["relatedImages"] == [
        {"name": "db", "image": "example.com/db:1"},
        {"name": "", "image": IMAGE},
        {"name": "", "image": "registry.example.com/shop:v1"},
    ]


def test_what_a_kind_needs_is_required() -> None:
    """A CRD of somebody else's."""
    where = ("spec", "customresourcedefinitions", "required")
    found = changed(CSV_PATH, *where, value=[{"name": "dbs.a", "version": "v1", "kind": "Db"}])
    assert found.csv is not None

    kinds = [one["type"] for one in bundle_entry(found, found.csv, IMAGE)["properties"]]

    assert "olm.gvk.required" in kinds


def test_its_edges_are_those_of_the_csv() -> None:
    """Which versions are upgraded to it."""
    spec = {"replaces": "shop.v0.0.9", "skips": ["shop.v0.0.8"]}
    metadata = {"name": "shop.v0.1.0", "annotations": {"olm.skipRange": "<0.1.0"}}

    assert edge_of(Document("f", {"metadata": metadata, "spec": spec})) == {
        "name": "shop.v0.1.0",
        "replaces": "shop.v0.0.9",
        "skips": ["shop.v0.0.8"],
        "skipRange": "<0.1.0",
    }

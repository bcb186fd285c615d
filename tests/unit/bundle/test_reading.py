"""`Bundle`."""

from kubewright.bundle import read_bundle
from tests.unit.bundle.sample import bundle


def test_it_knows_its_parts() -> None:
    """Validators ask for them by name."""
    found = bundle(**{
        "metadata/dependencies.yaml": "dependencies: []\n",
        "metadata/properties.yaml": "properties: []\n",
    })  # fmt: skip

    assert found.csv is not None
    assert found.csv.name == "shop.v0.1.0"
    assert [one.name for one in found.crds] == ["shops.example.com"]
    assert (found.package, found.channels, found.default_channel) == ("shop", ["stable"], "stable")
    assert found.dependencies is not None
    assert found.properties is not None


def test_a_broken_file_does_not_hide_the_others() -> None:
    """All that is wrong is told at once."""
    found = bundle(**{"manifests/broken.yaml": "a: b: c\n"})

    [finding] = found.findings
    assert str(finding).startswith("bundle/manifests/broken.yaml: this is not YAML: ")
    assert found.csv is not None


def test_other_files_are_left_out() -> None:
    """Folders, hidden files and pictures are no manifests."""
    found = read_bundle(
        "b", {"manifests/a/b.yaml": "x: 1", "manifests/.c.yaml": "x: 1", "manifests/d.txt": "x"}
    )

    assert (found.manifests, found.findings, found.csv, found.package) == ((), (), None, "")

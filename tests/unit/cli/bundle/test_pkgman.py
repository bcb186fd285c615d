"""``kubewright pkgman-to-bundle``."""

import pytest

from tests.unit.cli.bundle.place import CSV, Place, run

PACKAGE = "packageName: stalls\nchannels:\n- {name: stable, currentCSV: stalls.v0.1.0}\n"
CONVERT = ("pkgman-to-bundle", "old")


@pytest.fixture
def old(ready: Place) -> Place:
    """A folder of package manifests."""
    ready.make_bundle()
    ready.write("old/stalls.package.yaml", PACKAGE)
    ready.write("old/0.1.0/csv.yaml", ready.read(CSV))
    ready.write("old/0.1.0/crd.yaml", ready.read("config/crd/bases/shop.example.com_stalls.yaml"))
    return ready


def test_each_version_becomes_a_bundle(old: Place) -> None:
    """Which is valid, and has a Dockerfile."""
    done = run(*CONVERT)

    assert sorted(done.out.splitlines()) == [
        "create  bundles/bundle-0.1.0/bundle.Dockerfile",
        "create  bundles/bundle-0.1.0/bundle/manifests/crd.yaml",
        "create  bundles/bundle-0.1.0/bundle/manifests/csv.yaml",
        "create  bundles/bundle-0.1.0/bundle/metadata/annotations.yaml",
    ]
    assert run("bundle", "validate", "bundles/bundle-0.1.0/bundle").status == 0


def test_nothing_is_overwritten_unasked(old: Place) -> None:
    """Somebody may have gone on with a bundle."""
    run(*CONVERT)
    old.write("bundles/bundle-0.1.0/bundle/manifests/crd.yaml", "mine: true\n")

    refused, forced = run(*CONVERT), run(*CONVERT, "--force")

    assert refused.status == 2
    assert "these files are there already: bundle-0.1.0/bundle/manifests/crd.yaml." in refused.err
    assert "Nothing was changed; --force overwrites them" in refused.err
    assert forced.out == "update  bundles/bundle-0.1.0/bundle/manifests/crd.yaml\n"


def test_a_dry_run_only_tells(old: Place) -> None:
    """Into another folder, too."""
    done = run(*CONVERT, "--output-dir", "new", "--dry-run")

    assert done.out.startswith("would create  new/bundle-0.1.0/")
    assert not (old.root / "new").exists()


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("none", "there is no folder of package manifests none"),
        ("PROJECT", "PROJECT is a file, and should be the folder of a folder of package manifests"),
        ("config", "config should have one file such as shop.package.yaml, with packageName and"),
        ("", "it is empty. Name a path"),
    ],
)
def test_wrong_input_is_refused(old: Place, folder: str, message: str) -> None:
    """The other messages are in the tests of `convert_package`."""
    done = run("pkgman-to-bundle", folder)

    assert done.status == 2
    assert message in " ".join(done.err.split())

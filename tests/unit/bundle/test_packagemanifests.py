"""Package manifests become bundles."""

import pytest
import yaml

from kubewright.bundle import read_bundle, validate
from kubewright.bundle.finding import has_errors
from kubewright.bundle.packagemanifests import convert_package
from kubewright.errors import ConfigError
from tests.unit.bundle.sample import CRD_PATH, CSV_PATH, files

PACKAGE = """\
packageName: shop
channels:
- name: stable
  currentCSV: shop.v0.1.0
defaultChannel: stable
"""
VERSION = {
    "0.1.0/shop.clusterserviceversion.yaml": files()[CSV_PATH],
    "0.1.0/shops.yaml": files()[CRD_PATH],
}
FOLDER = {"shop.package.yaml": PACKAGE, **VERSION}


def test_each_version_is_a_bundle() -> None:
    """Which passes its validation."""
    [found] = convert_package("p", FOLDER)

    below = {path.removeprefix("bundle/"): text for path, text in found.files.items()}
    assert found.version == "0.1.0"
    assert set(below) == {
        "manifests/shop.clusterserviceversion.yaml",
        "manifests/shops.yaml",
        "metadata/annotations.yaml",
        "bundle.Dockerfile",
    }
    assert not has_errors(validate(read_bundle("b", below)))


def test_a_version_that_is_not_current_is_in_the_default_channel() -> None:
    """As operator-sdk has it."""
    old = files()[CSV_PATH].replace("shop.v0.1.0", "shop.v0.0.9")

    found = {one.version: one for one in convert_package("p", {**FOLDER, "0.0.9/csv.yaml": old})}

    said = yaml.safe_load(found["0.0.9"].files["bundle/metadata/annotations.yaml"])["annotations"]
    assert said["operators.operatorframework.io.bundle.channels.v1"] == "stable"


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (
            {},
            "p should have one file such as shop.package.yaml, with packageName and channels: none",
        ),
        ({**FOLDER, "b.yaml": PACKAGE}, "channels: p/b.yaml, p/shop.package.yaml"),
        (
            {"a.yaml": "packageName: ''\n"},
            "p/a.yaml: it needs packageName, and channels with a name",
        ),
        (
            {"a.yaml": "packageName: a\nchannels: []\n"},
            "channels with a name and a currentCSV each",
        ),
        ({"a.yaml": "packageName: a\nchannels: [{name: x}]\n"}, "a name and a currentCSV each"),
        ({"a.yaml": PACKAGE}, "p has no folders of versions, such as p/0.1.0"),
        (
            {"a.yaml": PACKAGE.replace("v0.1.0", "v9"), **VERSION},
            "p/a.yaml: no folder has shop.v9, which a channel names",
        ),
        (
            {**FOLDER, "x/a.yaml": "kind: A\n"},
            "p/x should have one ClusterServiceVersion, and has 0",
        ),
        ({**FOLDER, "0.1.0/b.yaml": files()[CSV_PATH]}, "ClusterServiceVersion, and has 2"),
        ({**FOLDER, "0.1.0/b.yaml": "a: b: c"}, "p/0.1.0/b.yaml: this is not YAML"),
    ],
)
def test_what_is_no_such_folder_is_refused(folder: dict[str, str], message: str) -> None:
    """The message names the file, and what is missing."""
    with pytest.raises(ConfigError) as caught:
        list(convert_package("p", folder))

    assert message in str(caught.value)


def test_a_version_without_a_channel_is_refused() -> None:
    """Nobody could install it."""
    package = PACKAGE.replace("defaultChannel: stable\n", "- {name: b, currentCSV: shop.v0.1.0}\n")
    old = files()[CSV_PATH].replace("shop.v0.1.0", "shop.v0.0.9")

    with pytest.raises(ConfigError, match=r"shop.v0.0.9 is the current one of no channel"):
        list(convert_package("p", {**VERSION, "a.yaml": package, "0.0.9/c.yaml": old}))

"""The files of a bundle."""

import pytest

from kubewright.bundle import read_bundle
from kubewright.bundle.validation.layout import check_layout
from tests.unit.bundle.sample import ANNOTATIONS_PATH, CSV_PATH, bundle, changed, files
from tests.unit.bundle.validation.saying import said

PREFIX = "operators.operatorframework.io.bundle"


def test_a_sound_bundle_passes() -> None:
    """Otherwise nobody would look at warnings any more."""
    assert said(check_layout(bundle())) == []


def test_an_empty_folder_is_no_bundle() -> None:
    """Most likely the wrong folder was named."""
    assert said(check_layout(read_bundle("b", {}))) == [
        "error: b: there is no folder manifests/ with files in it. Is this the folder of a bundle?",
        "error: b: there is no folder metadata/ with files in it. Is this the folder of a bundle?",
    ]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "package.v1",
            None,
            f"the annotation {PREFIX}.package.v1 is missing: it says the name of the",
        ),
        (
            "channels.v1",
            "",
            f"the annotation {PREFIX}.channels.v1 is missing: it says the channels",
        ),
        ("mediatype.v1", "helm", "mediatype.v1 is 'helm', and should be 'registry+v1'"),
        ("manifests.v1", "objects/", "manifests.v1 is 'objects/', and should be 'manifests/'"),
        (
            "channels.v1",
            "stable,,fast",
            "line 4: a channel has no name: is there a comma too many?",
        ),
        (
            "channel.default.v1",
            "",
            "the default channel has no name. Name one, or leave the annotation",
        ),
        ("package.v1", " shop", "the package ' shop' has blanks around it"),
    ],
)
def test_annotations_are_whole(key: str, value: str | None, message: str) -> None:
    """OLM finds manifests and channels by them."""
    found = said(
        check_layout(changed(ANNOTATIONS_PATH, "annotations", f"{PREFIX}.{key}", value=value))
    )

    assert len([one for one in found if message in one and one.startswith("error")]) == 1


def test_a_default_channel_elsewhere_is_only_told() -> None:
    """An older version may be in it."""
    found = changed(ANNOTATIONS_PATH, "annotations", f"{PREFIX}.channel.default.v1", value="old")

    assert said(check_layout(found)) == [
        (
            "warning: metadata/annotations.yaml, line 3: the bundle is not in its default"
            " channel, old:"
            " another version has to be"
        )
    ]


def test_a_bundle_without_annotations_is_told_what_writes_them() -> None:
    """The folder alone is no use."""
    found = bundle(**{ANNOTATIONS_PATH: "a: 1\n"})

    assert said(check_layout(found)) == [
        (
            "error: metadata: no file in it has `annotations:`. `kubewright generate bundle` writes"
            " metadata/annotations.yaml"
        )
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}\n",
            ("line 1: OLM does not install objects of the kind Deployment from a bundle. Take it"),
        ),
        ("a: 1\n", "line 1: this is not an object: it has no apiVersion and kind"),
        ("a: b: c\n", "manifests/x.yaml: this is not YAML: mapping values are not allowed"),
        ("- 1\n", "line 1: this should be a mapping, such as `kind: Service`, and it is [1]"),
    ],
)
def test_manifests_are_objects_that_olm_installs(text: str, message: str) -> None:
    """Others stop the whole installation."""
    [found] = said(check_layout(bundle(**{"manifests/x.yaml": text})))

    assert found.startswith("error: manifests/x.yaml")
    assert message in found


def test_there_is_one_csv() -> None:
    """It is what is installed."""
    none = said(check_layout(bundle(**{CSV_PATH: None})))
    two = said(check_layout(bundle(**{"manifests/b.yaml": files()[CSV_PATH]})))

    message = "error: manifests: it should have exactly one ClusterServiceVersion:"
    assert none == [f"{message} none is there"]
    assert two == [f"{message} bundle/manifests/b.yaml, bundle/{CSV_PATH}"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "{type: olm.crd, value: {}}",
            "a dependency of the type 'olm.crd' is not known. There are",
        ),
        ("{type: olm.gvk, value: {kind: A}}", "type olm.gvk needs group, version in its value"),
        (
            "{type: olm.package, value: {packageName: a}}",
            "type olm.package needs version in its value",
        ),
        ("{type: olm.package, value: {packageName: a, version: new}}", "'new' is not a range"),
        ("{type: olm.label, value: {}}", "needs label in its value"),
        (
            "{type: olm.constraint, value: {failureMessage: sorry}}",
            "a constraint has exactly one of all,",
        ),
    ],
)
def test_dependencies_are_of_known_types(value: str, message: str) -> None:
    """The resolver of OLM fails on others, for all operators of a namespace."""
    text = f"dependencies:\n- {value}\n"

    [found] = said(check_layout(bundle(**{"metadata/dependencies.yaml": text})))

    assert found.startswith("error: metadata/dependencies.yaml, line 2")
    assert message in found


def test_good_dependencies_and_properties_pass() -> None:
    """Ranges, kinds and constraints as OLM documents them."""
    dependencies = (
        "dependencies:\n- {type: olm.package, value: {packageName: a, version: '>=1.0.0'}}\n"
        "- {type: olm.constraint, value: {failureMessage: sorry, cel: {rule: 'true'}}}\n"
    )
    properties = "properties:\n- {type: olm.maxOpenShiftVersion, value: '4.9'}\n- {type: x}\n"

    found = bundle(**{
        "metadata/dependencies.yaml": dependencies, "metadata/properties.yaml": properties,
    })  # fmt: skip

    assert said(check_layout(found)) == [
        "error: metadata/properties.yaml, line 3: a property needs both `type:` and `value:`"
    ]

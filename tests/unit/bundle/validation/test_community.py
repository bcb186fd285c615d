"""What OpenShift's community asks."""

import json
from typing import Any

import pytest

from kubewright.bundle import Bundle
from kubewright.bundle.validation.community import INDEX, INDEX_TEXT, check_community
from kubewright.crd.manifest import from_yaml, to_yaml
from tests.unit.bundle.sample import CSV_PATH, bundle, files
from tests.unit.bundle.validation.saying import said

OLD = "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: Role\nmetadata: {name: a}\n"
DOCKERFILE = {INDEX: "bundle.Dockerfile"}
GOOD = DOCKERFILE | {INDEX_TEXT: "LABEL com.redhat.openshift.versions=v4.6-v4.8\n"}


def old(properties: Any = None) -> Bundle:
    """Return a bundle with an object that is gone, and perhaps with the annotation."""
    [csv] = from_yaml(files()[CSV_PATH])
    if properties is not None:
        csv["metadata"]["annotations"]["olm.properties"] = properties
    return bundle(**{CSV_PATH: to_yaml(csv), "manifests/x.yaml": OLD})


def most(version: Any) -> str:
    """Return the annotation."""
    return json.dumps([{"type": "olm.maxOpenShiftVersion", "value": version}])


def test_bundles_with_nothing_old_are_fine() -> None:
    """Most are."""
    assert said(check_community(bundle(), {})) == []
    assert said(check_community(old(most("4.8")), GOOD)) == []


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        (None, "error: .*and olm.maxOpenShiftVersion is missing. Write olm.properties: '"),
        ("[", "error: .*olm.properties is not a list in JSON"),
        ("{}", "error: .*olm.properties is not a list in JSON"),
        (most("next"), "error: .*olm.maxOpenShiftVersion is 'next'"),
        (most("4.9"), "error: .*olm.maxOpenShiftVersion is '4.9'. It has to be 4.8 or less"),
        (most("4.8.3"), "warning: .*is '4.8.3', and only 4.8 count"),
    ],
)
def test_the_newest_openshift_has_to_be_named(properties: Any, message: str) -> None:
    """Or clusters upgrade to one on which the operator fails."""
    import re

    [found] = said(check_community(old(properties), GOOD))

    assert re.match(message, found), found


@pytest.mark.parametrize(
    ("label", "problem"),
    [
        ("FROM scratch", "there is no label com.redhat.openshift.versions"),
        ("LABEL com.redhat.openshift.versions", "has no value"),
        ("LABEL com.redhat.openshift.versions=v4.6", "means all later versions, too"),
        ("LABEL com.redhat.openshift.versions=v4.6-v4.10", "has 4.9 or later in it"),
        ("LABEL com.redhat.openshift.versions==v4.9", "has 4.9 or later in it"),
        ("LABEL com.redhat.openshift.versions='soon'", "is no range of versions"),
    ],
)
def test_the_label_keeps_it_off_newer_ones(label: str, problem: str) -> None:
    """Catalogs for each version are made by it."""
    [found] = said(check_community(old(most("4.8")), DOCKERFILE | {INDEX_TEXT: label}))

    assert found.startswith("error: ")
    assert problem in found


@pytest.mark.parametrize("value", ["=v4.8", "'v4.5-v4.8'", '"v4.8-v4.8"'])
def test_a_label_can_be_written_in_several_ways(value: str) -> None:
    """One version, or a range, with quotes or without."""
    text = f"LABEL com.redhat.openshift.versions={value}\n"

    assert said(check_community(old(most("4.8")), DOCKERFILE | {INDEX_TEXT: text})) == []


def test_without_the_dockerfile_nobody_knows() -> None:
    """It is not in the bundle."""
    [found] = said(check_community(old(most("4.8")), {}))

    assert found.startswith("warning: ")
    assert "--optional-values index-path=bundle.Dockerfile" in found

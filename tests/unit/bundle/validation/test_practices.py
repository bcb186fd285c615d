"""What makes an operator easy to live with."""

from typing import Any

import pytest

from kubewright.bundle.validation.practices import check_practices
from tests.unit.bundle.sample import ANNOTATIONS_PATH, CSV_PATH, bundle, changed
from tests.unit.bundle.validation.saying import said

INSTALL = ("spec", "install", "spec")
CONTAINER = (*INSTALL, "deployments", 0, "spec", "template", "spec", "containers", 0)
CHANNELS = "operators.operatorframework.io.bundle.channels.v1"
RULE = {"apiGroups": ["apiextensions.k8s.io"], "resources": ["*"], "verbs": ["create"]}


def test_a_good_one_passes() -> None:
    """It requests, describes, and is named well."""
    assert said(check_practices(bundle())) == []
    assert said(check_practices(bundle(**{CSV_PATH: None}))) == []


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (
            (*CONTAINER, "resources"),
            None,
            "the container manager requests no cpu and no memory: some",
        ),
        (
            (*CONTAINER, "resources", "requests", "cpu"),
            None,
            "requests no cpu: some clusters refuse",
        ),
        (
            ("metadata", "name"),
            "shop-1",
            "'shop-1' should be called <operator>.v<version>, such as",
        ),
        (
            (*INSTALL, "permissions", 0, "rules"),
            [RULE],
            "the operator may make CRDs: leave that to OLM",
        ),
        (
            ("spec", "customresourcedefinitions", "owned", 0, "description"),
            None,
            "shops.example.com has no description",
        ),
    ],
)
def test_what_could_be_better_is_told(
    where: tuple[str | int, ...], value: Any, message: str
) -> None:
    """As a warning, with the line."""
    [found] = said(check_practices(changed(CSV_PATH, *where, value=value)))

    assert message in found
    assert found.startswith(f"warning: {CSV_PATH}, line")


def test_channels_have_the_usual_names() -> None:
    """People guess which one is for them."""
    [found] = said(
        check_practices(changed(ANNOTATIONS_PATH, "annotations", CHANNELS, value="stable-v1,beta"))
    )

    assert found.endswith("channels usually begin with candidate, fast, stable, unlike beta")


def test_nothing_to_run_is_an_error() -> None:
    """Here, too."""
    found = said(check_practices(changed(CSV_PATH, *INSTALL, "deployments", value=[])))

    assert found[0].startswith("error")

"""Images and platforms."""

from typing import Any

import pytest

from kubewright.bundle.validation.platforms import check_platforms, images_of
from tests.unit.bundle.sample import CSV_PATH, bundle, changed
from tests.unit.bundle.validation.saying import said

IMAGE = "registry.example.com/shop:v1"
POD = ("spec", "install", "spec", "deployments", 0, "spec", "template", "spec")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def affinity(*arches: str) -> dict[str, Any]:
    """Return an affinity to nodes."""
    expressions = [
        {"key": "kubernetes.io/arch", "operator": "In", "values": list(arches)},
        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
    ]
    terms = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    return {"nodeAffinity": {REQUIRED: terms}}


PLACED = changed(CSV_PATH, *POD, "affinity", value=affinity("amd64"))


def known(platforms: str, image: str = IMAGE) -> dict[str, str]:
    """Return what a registry has said."""
    return {f"platforms:{image}": platforms}


def test_a_sound_bundle_has_no_findings() -> None:
    """It is for what every bundle is for by default."""
    assert said(check_platforms(PLACED, known("linux/amd64"))) == []
    assert images_of(PLACED) == [IMAGE]


@pytest.mark.parametrize(
    ("platforms", "expected"),
    [
        ("linux/arm64", [
            f"error: the bundle is for linux/amd64, and {IMAGE} is not: it is for linux/arm64.",
            "warning: the operator runs on linux/arm64, too, and no label says so",
            f"warning: {IMAGE} is for linux/arm64, and the node affinity of its deployment asks",
        ]),
        ("linux/amd64,linux/arm64", [
            "warning: the operator runs on linux/arm64, too, and no label says so",
            f"warning: {IMAGE} is for linux/amd64, linux/arm64, and the node affinity of its",
        ]),
    ],
)  # fmt: skip
def test_promises_and_images_are_compared(platforms: str, expected: list[str]) -> None:
    """Pods would fail on some nodes, or the operator would not be offered on others."""
    found = said(check_platforms(PLACED, known(platforms)))

    assert len(found) == len(expected)
    for one, wanted in zip(found, expected, strict=True):
        level, _, message = wanted.partition(": ")
        assert one.startswith(f"{level}: ")
        assert message in one


def test_labels_promise_more() -> None:
    """Each architecture on each system."""
    labels = {
        "operatorframework.io/arch.arm64": "supported",
        "operatorframework.io/arch.amd64": "supported",
        "operatorframework.io/arch.s390x": "no",
    }
    found = changed(CSV_PATH, "metadata", "labels", value=labels)

    errors = [
        one for one in said(check_platforms(found, known("linux/amd64"))) if one[:5] == "error"
    ]

    assert len(errors) == 1
    assert "the bundle is for linux/arm64" in errors[0]


def test_another_image_should_run_where_the_operator_does() -> None:
    """Or the operator starts what does not."""
    related = [{"name": "db", "image": "a.b/db:v1"}]
    found = changed(CSV_PATH, "spec", "relatedImages", value=related)
    options = known("linux/amd64,linux/arm64") | known("linux/amd64", "a.b/db:v1")

    findings = said(check_platforms(found, options))

    assert any(
        "the operator runs on linux/arm64, and a.b/db:v1 does not" in one for one in findings
    )


def test_what_nobody_knows_is_told() -> None:
    """And it is no error: the registry may be down today."""
    options = {f"problem:{IMAGE}": "it does not answer"}

    [found] = said(check_platforms(bundle(), options))

    assert found.startswith("warning: ")
    assert f"nobody knows the platforms of {IMAGE}: it does not answer" in found

"""Which resources a selector means."""

import pytest

from kubewright.scaffold.kustomize.fields import Selector
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import resources
from kubewright.scaffold.kustomize.selection import selected

SOME = resources(
    """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: shop, labels: {app: shop}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager-role, annotations: {note: "1"}}
""",
    place="",
)


@pytest.mark.parametrize(
    ("selector", "kinds"),
    [
        (Selector(), ["Deployment", "ClusterRole"]),
        (Selector(kind="Deploy"), []),
        (Selector(kind="Deploy.*"), ["Deployment"]),
        (Selector(kind="Deployment|ClusterRole", version="v1"), ["Deployment", "ClusterRole"]),
        (Selector(name="manager"), ["Deployment"]),
        (Selector(namespace="shop"), ["Deployment"]),
        (Selector(label_selector="app in (shop, none)"), ["Deployment"]),
        (Selector(annotation_selector="note=1,!other"), ["ClusterRole"]),
        (Selector(group="apps", name="other"), []),
    ],
)
def test_patterns_are_for_the_whole_text(selector: Selector, kinds: list[str]) -> None:
    """A patch for ``manager`` must not meet ``manager-role``."""
    assert [one.kind for one in selected(SOME, selector)] == kinds


def test_objects_are_also_meant_by_their_name_in_the_file() -> None:
    """Overlays of overlays still say it."""
    renamed = SOME[0].copy()
    renamed.remember()
    renamed.rename("x-manager")

    assert selected([renamed], Selector(name="manager")) == [renamed]
    assert selected([renamed], Selector(name="x-manager")) == [renamed]


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        (Selector(name="a["), r"'a\[' is no regular expression"),
        (Selector(label_selector="a in b"), "expected"),
    ],
)
def test_malformed_selectors_are_refused(selector: Selector, why: str) -> None:
    """They would select nothing, silently."""
    with pytest.raises(ProblemError, match=why):
        selected(SOME, selector)

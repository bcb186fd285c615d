"""`kubewright.kinds` itself: finding classes, and importing no more than is needed."""

import json
import pickle
import subprocess
import sys

import pytest

from kubewright import kinds
from kubewright.api.kind import GroupVersionKind
from kubewright.api.resource import gvk_of, mapping_of
from kubewright.kinds.core import v1
from kubewright.kinds.core.v1 import Pod
from tests.unit.kinds.samples import DATA


def loaded_by(statement: str) -> set[str]:
    """Return the modules of kinds that a fresh interpreter has loaded after *statement*."""
    script = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    names = (name for name in done.stdout.split() if name.startswith("kubewright.kinds."))
    return {name.removeprefix("kubewright.kinds.") for name in names if name[-1].isdigit()}


def test_find_returns_the_class_of_a_kind() -> None:
    """A scheme asks by group, version and kind, and gets the class that users import."""
    assert kinds.find(GroupVersionKind("", "v1", "Pod")) is Pod


@pytest.mark.parametrize(
    "gvk",
    [
        GroupVersionKind("example.com", "v1", "Pod"),
        GroupVersionKind("", "v2", "Pod"),
        GroupVersionKind("", "v1", "PodList"),
        GroupVersionKind("", "v1", "PodSpec"),
        GroupVersionKind("", "v1", "__name__"),
        GroupVersionKind("", "", ""),
    ],
    ids=str,
)
def test_find_knows_nothing_but_kinds(gvk: GroupVersionKind) -> None:
    """A list, a part or a name of Python is not a kind of object."""
    assert kinds.find(gvk) is None


def test_every_kind_in_the_table_has_a_class_that_says_the_same() -> None:
    """The table and the decorators are written apart, and must not drift."""
    for gvk in kinds.gvks():
        found = kinds.find(gvk)

        assert found is not None
        assert gvk_of(found) == gvk


def test_plurals_and_scopes_are_those_of_discovery() -> None:
    """A wrong plural or scope gives a request path that no server has."""
    told = {}
    for file in ("discovery-api.json", "discovery-apis.json"):
        for group in json.loads((DATA / file).read_text())["items"]:
            name = group["metadata"].get("name", "")
            for version in group["versions"]:
                for entry in version["resources"]:
                    gvk = GroupVersionKind(name, version["version"], entry["responseKind"]["kind"])
                    told[gvk] = entry["resource"], entry["scope"] == "Namespaced"

    ours = {gvk: kinds.find(gvk) for gvk in told}

    missing = {gvk for gvk, found in ours.items() if found is None}
    places = {gvk: mapping_of(found) for gvk, found in ours.items() if found}
    assert not missing
    assert {gvk: (p.plural, p.namespaced) for gvk, p in places.items()} == told


@pytest.mark.parametrize(
    ("group", "kind"),
    [("policy", "Eviction"), ("autoscaling", "Scale"), ("authentication.k8s.io", "TokenRequest")],
)
def test_kinds_of_subresources_have_no_plural(group: str, kind: str) -> None:
    """They are posted to the path of another kind, and have no collection of their own."""
    found = kinds.find(GroupVersionKind(group, "v1", kind))

    assert found is not None
    assert not mapping_of(found).plural
    assert mapping_of(found).namespaced


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("import kubewright.kinds", set()),
        ("import kubewright.kinds as k; k.gvks(); k.modules()", set()),
        ("import kubewright.kinds.core.v1", {"core.v1"}),
        ("import kubewright.kinds.meta.v1", {"meta.v1"}),
        ("import kubewright.kinds.apps.v1", {"apps.v1", "core.v1"}),
        ("import kubewright.kinds.rbac.v1", {"rbac.v1"}),
        ("import kubewright.kinds.apiextensions.v1", {"apiextensions.v1"}),
        ("import kubewright.kinds.coordination.v1", {"coordination.v1"}),
        ("import kubewright.kinds.policy.v1", {"policy.v1", "meta.v1"}),
    ],
)
def test_a_module_imports_only_what_it_needs(statement: str, expected: set[str]) -> None:
    """An operator for ConfigMaps should not pay for the classes of all other groups."""
    assert loaded_by(statement) == expected


def test_a_kind_of_a_large_module_comes_alone_with_its_parts() -> None:
    """Whoever keeps ConfigMaps should not pay for all that a pod is made of."""
    script = "import kubewright.kinds.core.v1 as v1; v1.ConfigMap, v1.ServiceAccount\nimport sys"
    script += "\nprint(*(name for name in sys.modules if '.core.v1.' in name))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    files = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert files == {"_configmap", "_serviceaccount", "_shared"}


def test_a_class_belongs_to_the_module_that_users_import() -> None:
    """Messages, pickles and generated imports name it, wherever its text is."""
    assert Pod.__module__ == "kubewright.kinds.core.v1"
    assert pickle.loads(pickle.dumps(Pod)) is Pod


def test_an_unknown_name_in_a_large_module_is_an_attribute_error() -> None:
    """hasattr() and tools rely on it."""
    with pytest.raises(AttributeError, match="has no attribute 'Deployment'"):
        _ = v1.Deployment  # type: ignore[attr-defined]  # as it should be


def test_a_large_module_offers_what_is_not_loaded_yet() -> None:
    """Completion in an editor or a shell must offer all names."""
    assert set(v1.__all__) <= set(dir(v1))


EACH_FIRST = """
import sys
from importlib import import_module
from kubewright import kinds
for name in kinds.modules():
    for loaded in [loaded for loaded in sys.modules if loaded.startswith("kubewright.kinds.")]:
        del sys.modules[loaded]
    assert import_module(name).__all__
import kubewright.kinds.core.v1
"""


def test_every_module_can_be_imported_first() -> None:
    """A circle of imports shows only when it is entered at the wrong place."""
    assert loaded_by(EACH_FIRST) == {"core.v1"}

"""Names of objects in other objects."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize import names
from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import DEFAULT
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.references import fix_references
from kubewright.scaffold.kustomize.resource import resources

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  serviceAccountName: own
  containers: [{envFrom: [{configMapRef: {name: settings}}, {configMapRef: {name: foreign}}]}]
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
ACCOUNT = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: own, namespace: a}\n"
ROLE = "apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata: {name: role}\n"
BINDING = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: binding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: role}
subjects: [{kind: ServiceAccount, name: own, namespace: a}]
"""


def some(*texts: str) -> Collection:
    """Return resources."""
    return Collection(resources("---\n".join(texts), place=""))


def fixed(found: Collection) -> list[Any]:
    """Return the objects with their references."""
    fix_references(found, DEFAULT.name_reference)
    return [one.finished() for one in found]


def test_references_follow_a_prefix_and_foreign_names_stay() -> None:
    """What is not built here is not renamed here."""
    found = some(POD, CONFIG_MAP)
    names.prefix(found, "x-", DEFAULT.name_prefix)

    pod, _ = fixed(found)

    assert [one["configMapRef"]["name"] for one in pod["spec"]["containers"][0]["envFrom"]] == [
        "x-settings",
        "foreign",
    ]


def test_subjects_follow_their_account_with_its_namespace() -> None:
    """A binding that names the old namespace gives rights to nobody."""
    found = some(ROLE % "ClusterRole", ROLE % "Role", ACCOUNT, BINDING)
    names.set_namespace(found, "shop", DEFAULT.namespace)
    names.prefix(found, "x-", DEFAULT.name_prefix)

    *_, binding = fixed(found)

    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "x-own", "namespace": "shop"}]
    assert binding["roleRef"]["name"] == "x-role"


def test_of_two_with_the_same_name_the_one_of_the_same_overlay_is_meant() -> None:
    """A base that is used twice has all names twice."""
    first, second = some(POD, CONFIG_MAP), some(POD, CONFIG_MAP)
    names.prefix(first, "a-", DEFAULT.name_prefix)
    names.prefix(second, "b-", DEFAULT.name_prefix)

    found = fixed(Collection([*first, *second]))

    used = [one["spec"]["containers"][0]["envFrom"][0] for one in found if one["kind"] == "Pod"]
    assert [one["configMapRef"]["name"] for one in used] == ["a-settings", "b-settings"]


def test_what_could_mean_two_objects_is_refused() -> None:
    """Either choice would be wrong for somebody."""
    found = some(POD, CONFIG_MAP, CONFIG_MAP.replace("settings", "other"))
    _, *config_maps = found
    for number, one in enumerate(config_maps):
        one.rename("settings")
        one.remember()
        one.rename(f"settings-{number}")

    with pytest.raises(ProblemError) as caught:
        fixed(found)

    assert str(caught.value) == (
        "Pod.v1 pod: spec/containers/envFrom/configMapRef/name: 'settings' could mean each of"
        " these: ConfigMap.v1 settings-0, ConfigMap.v1 settings-1"
    )


def test_a_reference_without_a_name_is_refused() -> None:
    """The configuration of one's own points to the wrong field then."""
    found = some(BINDING.replace("name: own, ", ""))

    with pytest.raises(ProblemError, match="subjects: there is no name in this mapping"):
        fixed(found)

import pytest

from kubewright.crd.rbac import READ
from kubewright.scaffold.ansible.rights import kind_rules, role_rights
from kubewright.scaffold.codeless.rights import ALL
from kubewright.scaffold.project import API, ProjectResource

TASKS = "roles/shop/tasks/main.yml"


def allowed(text: str, path: str = TASKS) -> dict[str, set[str]]:
    """Return what a role may do, by plural."""
    found = role_rights({path: text}, namespaced=False)
    return {plural: set(rule.verbs) for rule in found.rules for plural in rule.resources}


@pytest.mark.parametrize(
    ("text", "plural"),
    [
        ("- k8s:\n    kind: Pod\n", "pods"),
        ("- community.kubernetes.k8s:\n    api_version: apps/v1\n    kind: Deployment\n",
         "deployments"),
        ("- k8s:\n    definition:\n      kind: Job\n      apiVersion: batch/v1\n", "jobs"),
        ("- k8s:\n    definition: |\n      apiVersion: v1\n      kind: Secret\n", "secrets"),
        ("- k8s:\n    resource_definition:\n    - apiVersion: v1\n      kind: Service\n",
         "services"),
        ("- k8s_scale:\n    api_version: apps/v1\n    kind: StatefulSet\n", "statefulsets"),
        ("- k8s:\n    api_version: '{{ v }}'\n    kind: CronJob\n", "cronjobs"),
    ],
)  # fmt: skip
def test_what_a_task_makes_may_be_made_and_watched(text: str, plural: str) -> None:
    """However it is written."""
    assert allowed(text) == {plural: set(ALL)}


def test_a_template_is_looked_at_too() -> None:
    """What is not YAML in it is no matter."""
    text = "{% if a %}\napiVersion: apps/v1\nkind: Deployment\n{% endif %}\n---\n# more\n"

    assert allowed(text, "roles/shop/templates/a.yaml.j2").keys() == {"deployments"}
    assert allowed(text, "roles/shop/README.md") == {}


def test_what_is_only_looked_at_may_be_read() -> None:
    """Unless another task makes it."""
    reads = "- kubernetes.core.k8s_info:\n    kind: Pod\n"
    makes = "- kubernetes.core.k8s:\n    kind: Pod\n"

    assert allowed(reads) == {"pods": set(READ)}
    assert allowed(reads + makes) == allowed(makes + reads) == {"pods": set(ALL)}


def test_what_is_done_inside_of_pods_is_allowed() -> None:
    """These modules name no kind."""
    text = "- kubernetes.core.k8s_exec:\n    pod: a\n- k8s_log:\n    name: a\n"

    assert allowed(text) == {"pods/exec": {"create", "get"}, "pods/log": {"get"}}


@pytest.mark.parametrize(
    "text",
    [
        "- operator_sdk.util.k8s_status:\n    api_version: a.b/v1\n    kind: Shop\n",
        "subjects:\n- kind: ServiceAccount\n  name: a\n",
        "- debug:\n    kind: Pod\n",
        "kind: words and more\napiVersion: v1\n",
    ],
)
def test_what_is_not_made_is_not_allowed(text: str) -> None:
    """The custom object has rules of its own, and other words are not kinds."""
    assert allowed(text) == {}


def test_what_cannot_be_known_is_told_with_its_place() -> None:
    """Somebody has to add a rule for it."""
    text = "- k8s:\n    api_version: v1\n    kind: '{{ what }}'\n"

    found = role_rights({TASKS: text}, namespaced=False)

    assert found.rules == ()
    assert found.notes == (f"{TASKS}:2 has a kind that variables decide about",)


def test_a_role_that_makes_roles_is_told() -> None:
    """Nobody may give away rights that they do not have."""
    text = "- k8s:\n    api_version: rbac.authorization.k8s.io/v1\n    kind: Role\n"

    [note] = role_rights({TASKS: text}, namespaced=False).notes

    assert note.startswith("the role makes roles or bindings")


def test_the_custom_objects_may_be_changed_but_not_made() -> None:
    """Finalizers, owner references and the status are written."""
    resource = ProjectResource(kind="Shop", version="v1", group="a", domain="b", api=API())

    rules = {rule.resources[0]: rule.verbs for rule in kind_rules(resource)}

    assert rules.keys() == {"shops", "shops/finalizers", "shops/status"}
    assert not {"create", "delete"} & set(rules["shops"])

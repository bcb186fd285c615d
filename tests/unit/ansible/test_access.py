"""The RBAC rules that roles need."""

from pathlib import Path

from kubewright.ansible.access import rules_for_kind, rules_for_playbook
from kubewright.ansible.playbook import Playbook
from kubewright.ansible.watches import Finalizer
from tests.unit.ansible.stalls import watch

TASKS = """\
- block:
    - name: make
      kubernetes.core.k8s:
        definition:
          apiVersion: apps/v1
          kind: Deployment
    - k8s_info: {api_version: v1, kind: Node}
    - kubernetes.core.k8s:
        definition: "{{ lookup('template', 'service.yaml.j2') }}"
    - kubernetes.core.k8s:
        kind: "{{ unknown }}"
    - debug: {msg: !vault secret}
"""
TEMPLATE = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ x }}\n"


def role_in(folder: Path) -> Playbook:
    """Return a role with some tasks."""
    role = folder / "roles" / "shop"
    for name, text in (("tasks/main.yml", TASKS), ("templates/service.yaml.j2", TEMPLATE)):
        (role / name).parent.mkdir(parents=True, exist_ok=True)
        (role / name).write_text(text)
    (role / "tasks" / "broken.yml").write_text("a: [")
    return Playbook(role, "shop", role.parent)


def test_kinds_in_tasks_and_templates_are_seen(tmp_path: Path) -> None:
    """What is only read needs no more."""
    found = {
        rule.resources[0]: (rule.groups[0], rule.verbs)
        for rule in rules_for_playbook(role_in(tmp_path))
    }

    assert sorted(found) == ["deployments", "nodes", "services"]
    assert found["deployments"][0] == "apps"
    assert "delete" in found["services"][1]
    assert found["nodes"] == ("", ("get", "list", "watch"))


def test_kinds_in_namespaces_are_granted_there(tmp_path: Path) -> None:
    """Nodes are everywhere."""
    rules = rules_for_playbook(role_in(tmp_path), namespaces=["a", "b"])

    places = [(rule.resources[0], rule.namespace) for rule in rules]
    assert places == [
        ("nodes", ""), ("services", "a"), ("services", "b"), ("deployments", "a"),
        ("deployments", "b"),
    ]  # fmt: skip


def test_finalizers_need_a_patch(tmp_path: Path) -> None:
    """Without one, the objects are only read."""
    with_one = rules_for_kind(watch(tmp_path, finalizer=Finalizer("a.b/c")))
    without = rules_for_kind(watch(tmp_path))

    assert len(with_one) == len(without) + 1
    assert with_one[-1].resources == ("stalls",)
    roles_own = rules_for_kind(watch(tmp_path, manage_status=False))
    assert "stalls/status" not in {name for rule in roles_own for name in rule.resources}

import pytest
import yaml

from kubewright.scaffold.ansible.role import Role, new_playbook, new_role, role_name
from kubewright.scaffold.project import ANSIBLE, API, Project, ProjectResource, RoleUse
from kubewright.scaffold.templates import Templates


def shop(group: str = "web") -> ProjectResource:
    """Return a kind."""
    api = API(namespaced=True)
    return ProjectResource(kind="Shop", version="v1", group=group, domain="a.b", api=api)


@pytest.mark.parametrize("name", ["defaults/main.yml", "defaults/main.yaml"])
def test_defaults_are_found_by_both_endings(name: str) -> None:
    """Ansible takes both."""
    role = Role("shop", {name: "a: 1\n"})

    assert (role.defaults, role.defaults_file) == ("a: 1\n", f"roles/shop/{name}")
    assert Role("shop", {}).defaults == ""


def test_a_role_is_called_as_its_kind_unless_another_one_is() -> None:
    """And keeps its name, when it is made again."""
    project = Project(domain="a.b", project_name="town", layout=[ANSIBLE])
    for one in (shop(), shop("more-things")):
        name = role_name(project, one)
        project.put(one)
        project.put_role(one, RoleUse(playbook=f"playbooks/{name}.yml"))

    names = [role_name(project, one) for one in project.resources]
    assert names == ["shop", "more_things_shop"]


def test_a_new_role_has_what_roles_have() -> None:
    """Each file is YAML, and its expressions are those of Ansible."""
    role = new_role("shop", shop(), Templates())

    folders = {path.partition("/")[0] for path in role.files if "/" in path}
    assert folders == {"defaults", "handlers", "meta", "tasks", "vars"}
    for path, text in role.files.items():
        assert "<<" not in text, path
        if path.endswith(".yml"):
            assert yaml.safe_load(text) is not None, path
    assert "{{ message }}" in role.files["tasks/main.yml"]


@pytest.mark.parametrize("with_role", [True, False])
def test_a_new_playbook_runs_on_this_machine(with_role: bool) -> None:
    """The cluster is asked from here."""
    [play] = yaml.safe_load(new_playbook("shop", shop(), Templates(), with_role=with_role))

    assert (play["hosts"], play["gather_facts"]) == ("localhost", False)
    [task] = play["tasks"]
    assert ("ansible.builtin.import_role" in task) == with_role

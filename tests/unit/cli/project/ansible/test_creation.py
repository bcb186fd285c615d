from pathlib import Path

import pytest
import yaml

from kubewright.cli.project.folder import get_project
from kubewright.errors import ConfigError
from tests.unit.cli.project.running import run, tree_of

NAMES = ("--group", "cache", "--version", "v1alpha1", "--kind", "Memcached")
ROLE = "--generate-role"
PLAYBOOK = "--generate-playbook"


def entries(project: Path) -> list[dict[str, str]]:
    """Return what is watched."""
    found: list[dict[str, str]] = yaml.safe_load((project / "watches.yaml").read_text())
    return found


def rules(project: Path) -> dict[str, list[str]]:
    """Return the verbs that the operator may use, by resource."""
    role = yaml.safe_load((project / "config/rbac/role.yaml").read_text())
    return {plural: rule["verbs"] for rule in role["rules"] for plural in rule["resources"]}


def write(project: Path, path: str, text: str) -> None:
    """Write a file of the project."""
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_text(text)


@pytest.mark.parametrize(
    ("words", "runs"),
    [
        ((ROLE,), {"role": "memcached"}),
        ((PLAYBOOK,), {"playbook": "playbooks/memcached.yml"}),
        ((ROLE, PLAYBOOK), {"playbook": "playbooks/memcached.yml"}),
    ],
)
def test_what_is_made_is_watched(
    words: tuple[str, ...], runs: dict[str, str], project: Path
) -> None:
    """A playbook is run instead of the role, which it runs itself."""
    run("create", "api", *NAMES, *words)

    names = {"group": "cache.example.com", "version": "v1alpha1", "kind": "Memcached"}
    assert entries(project) == [{**names, **runs}]
    assert (project / "roles/memcached/tasks/main.yml").is_file() == (ROLE in words)
    assert (project / "playbooks/memcached.yml").is_file() == (PLAYBOOK in words)
    assert "create" in rules(project)["configmaps"]


def test_a_playbook_runs_the_role(project: Path) -> None:
    """If there is one; otherwise it has tasks itself."""
    run("create", "api", *NAMES, ROLE, PLAYBOOK)
    run("create", "api", *NAMES[:5], "Other", PLAYBOOK)

    [with_role] = yaml.safe_load((project / "playbooks/memcached.yml").read_text())
    [alone] = yaml.safe_load((project / "playbooks/other.yml").read_text())
    assert with_role["tasks"][0]["ansible.builtin.import_role"] == {"name": "../roles/memcached"}
    assert "kubernetes.core.k8s" in alone["tasks"][0]


def test_comments_in_watches_stay(project: Path) -> None:
    """And fields that people have added."""
    run("create", "api", *NAMES, ROLE)
    before = (project / "watches.yaml").read_text() + "  manageStatus: false  # mine\n"
    (project / "watches.yaml").write_text(before)

    run("create", "api", *NAMES[:5], "Other", ROLE)

    assert (project / "watches.yaml").read_text().startswith(before.rstrip("\n"))
    assert [one["kind"] for one in entries(project)] == ["Memcached", "Other"]


def test_a_role_that_is_there_is_taken(project: Path) -> None:
    """With the rights for what its files name, its defaults as the sample, and as the schema."""
    write(project, "roles/memcached/defaults/main.yml", "# How many.\npod_count: 2\n_own: 1\n")
    task = "- kubernetes.core.k8s:\n    api_version: apps/v1\n    kind: StatefulSet\n"
    write(project, "roles/memcached/tasks/main.yml", task)

    run("create", "api", *NAMES, "--crd-schema", "defaults")

    assert (project / "roles/memcached/tasks/main.yml").read_text() == task
    assert "create" in rules(project)["statefulsets"]
    sample = yaml.safe_load((project / "config/samples/cache_v1alpha1_memcached.yaml").read_text())
    assert sample["spec"] == {"podCount": 2}
    crd = (project / "config/crd/bases/cache.example.com_memcacheds.yaml").read_text()
    [version] = yaml.safe_load(crd)["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert spec == {"podCount": {"type": "integer", "description": "How many."}}


def test_a_role_is_whole(project: Path) -> None:
    """Others do not have what a link leads to."""
    write(project, "roles/memcached/tasks/main.yml", "[]\n")
    (project.parent / "secret").write_text("x")
    (project / "roles/memcached/files").symlink_to(project.parent)
    (project / "roles/memcached/vars.yml").symlink_to(project.parent / "secret")

    with pytest.raises(ConfigError, match=r"vars\.yml is a link out of the role: put the file"):
        run("create", "api", *NAMES)


def test_a_playbook_that_is_there_is_taken(project: Path) -> None:
    """Also without a role."""
    task = "kubernetes.core.k8s: {kind: Pod}"
    write(project, "playbooks/memcached.yml", f"- hosts: localhost\n  tasks:\n  - {task}\n")

    run("create", "api", *NAMES)

    assert entries(project)[0]["playbook"] == "playbooks/memcached.yml"


def test_what_variables_decide_about_is_told(project: Path) -> None:
    """With file and line: somebody has to add a rule."""
    task = '- kubernetes.core.k8s:\n    kind: "{{ what }}"\n'
    write(project, "roles/memcached/tasks/main.yml", task)

    said = run("create", "api", *NAMES)

    told = "roles/memcached/tasks/main.yml:2 has a kind that variables decide about"
    assert f"kubewright: config/rbac/role.yaml: {told}\n" in said


def test_objects_may_be_in_no_namespace(project: Path) -> None:
    """Then what the new role makes is in the default one."""
    run("create", "api", *NAMES, ROLE, "--no-namespaced")

    crd = (project / "config/crd/bases/cache.example.com_memcacheds.yaml").read_text()
    assert yaml.safe_load(crd)["spec"]["scope"] == "Cluster"
    [task] = yaml.safe_load((project / "roles/memcached/tasks/main.yml").read_text())
    made = task["kubernetes.core.k8s"]["definition"]
    assert made["metadata"]["namespace"] == "default"


def test_kinds_of_one_name_have_a_role_each(project: Path) -> None:
    """In several groups."""
    run("edit", "--multigroup")
    run("create", "api", *NAMES, ROLE)
    run("create", "api", "--group", "more-things", *NAMES[2:], ROLE, PLAYBOOK)

    assert [one.get("role", one.get("playbook")) for one in entries(project)] == [
        "memcached",
        "playbooks/more_things_memcached.yml",
    ]
    assert (project / "roles/more_things_memcached/tasks/main.yml").is_file()


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (NAMES, "what should be run for Memcached? Say --generate-role or --generate-playbook"),
        (("--group", "a", "--version", "v1", ROLE), "Missing option '--kind'"),
        ((*NAMES[:2], "--version", "one", *NAMES[4:], ROLE), "--version: 'one'"),
        ((*NAMES, ROLE, "--no-controller"), "--no-controller is for projects in Python; in this"),
        ((*NAMES, ROLE, "--image", "a"), "--image is for projects in Python; in this one, each"),
        ((*NAMES, ROLE, "--external-api-domain", "io"), "--external-api-domain is for projects in"),
        ((*NAMES, "--helm-chart", "a"), "is for projects made of charts, and this one is made of"),
        ((*NAMES, ROLE, "--crd-schema", "values"), "--crd-schema: 'values' is not known"),
        ((*NAMES, PLAYBOOK, "--crd-schema", "defaults"), "there are none in roles/memcached/defau"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    words: tuple[str, ...], fault: str, project: Path
) -> None:
    """Half a kind is worse than none."""
    before = tree_of(project)

    with pytest.raises(ConfigError) as refused:
        run("create", "api", *words)

    assert fault in str(refused.value)
    assert tree_of(project) == before


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        (
            "roles/memcached/defaults/main.yml",
            "a: [\n",
            "memcached/defaults/main.yml:2: this is",
        ),
        ("roles/memcached/defaults/main.yml", "- a\n", "defaults/main.yml:1: values are a mapping"),
        ("watches.yaml", "- a: [\n", "watches.yaml:2: this is not YAML"),
        ("watches.yaml", "a: 1\n", "watches.yaml, which is not a list with an item on each line"),
        ("config/rbac/role.yaml", "rules: 1\n", "rules is not a list"),
    ],
)
def test_what_is_broken_is_told_with_its_place(
    path: str, text: str, fault: str, project: Path
) -> None:
    """Nothing is written then."""
    write(project, "roles/memcached/tasks/main.yml", "[]\n")
    write(project, path, text)
    before = tree_of(project)

    with pytest.raises(ConfigError) as refused:
        run("create", "api", *NAMES)

    assert fault in str(refused.value)
    assert tree_of(project) == before


def test_nothing_is_overwritten_without_force(project: Path) -> None:
    """Somebody has begun with the role."""
    write(project, "roles/memcached/tasks/main.yml", "[]  # mine\n")
    write(project, "roles/memcached/files/mine", "mine\n")

    with pytest.raises(ConfigError, match="roles/memcached/tasks/main"):
        run("create", "api", *NAMES, ROLE)
    assert (project / "roles/memcached/tasks/main.yml").read_text() == "[]  # mine\n"
    run("create", "api", *NAMES, ROLE, "--force")

    assert "mine" not in (project / "roles/memcached/tasks/main.yml").read_text()
    assert (project / "roles/memcached/files/mine").is_file()


def test_a_kind_that_is_there_is_made_again_with_force_only(project: Path) -> None:
    """As with code; other files of it stay as they are."""
    run("create", "api", *NAMES, ROLE)
    before = tree_of(project)

    with pytest.raises(ConfigError, match="Overwrite its files with --force"):
        run("create", "api", *NAMES, ROLE)
    with pytest.raises(ConfigError, match="there are no conversions without code"):
        run("create", "api", *NAMES[:2], "--version", "v1", *NAMES[4:], ROLE)
    run("create", "api", *NAMES, ROLE, "--force")

    assert tree_of(project) == before


def test_an_entry_that_says_something_else_is_not_changed(project: Path) -> None:
    """It may have options that go with it."""
    run("create", "api", *NAMES, ROLE)

    with pytest.raises(ConfigError, match="has the kind Memcached already, with the role memcach"):
        run("create", "api", *NAMES, PLAYBOOK, "--force")


def test_there_are_no_webhooks_without_code(project: Path) -> None:
    """The message says what can be checked instead."""
    run("create", "api", *NAMES, ROLE)

    with pytest.raises(ConfigError, match="roles instead of code, and webhooks are functions"):
        run("create", "webhook", *NAMES, "--defaulting")


def test_a_dry_run_writes_nothing(project: Path) -> None:
    """It says what would be written."""
    before = tree_of(project)

    said = run("create", "api", *NAMES, ROLE, "--dry-run")

    assert "would create  roles/memcached/tasks/main.yml\n" in said
    assert "would update  watches.yaml\n" in said
    assert tree_of(project) == before


def test_an_operator_of_one_namespace_is_told_what_it_cannot_do(project: Path) -> None:
    """A Role cannot allow what is in no namespace."""
    run("edit", "--namespaced")
    task = "- kubernetes.core.k8s: \n    definition:\n      apiVersion: v1\n      kind: Namespace\n"
    write(project, "roles/memcached/tasks/main.yml", task)

    said = run("create", "api", *NAMES)

    assert "namespaces" not in rules(project)
    assert "the role has namespaces, which are in no namespace" in said


@pytest.mark.parametrize(
    ("init", "words", "fault"),
    [
        ((), (*NAMES, ROLE), "is for projects made of Ansible roles, and this one is in"),
        (("--plugins", "helm"), (*NAMES, PLAYBOOK), "this one is made of charts"),
        ((), (*NAMES, "--crd-schema", "defaults"), "--crd-schema is for projects made of charts"),
    ],
)  # fmt: skip
def test_other_projects_take_no_role(
    init: tuple[str, ...], words: tuple[str, ...], fault: str, folder: Path
) -> None:
    """The message says how to make one that does."""
    run("init", *init, "--domain", "example.com")

    with pytest.raises(ConfigError) as refused:
        run("create", "api", *words)

    assert fault in str(refused.value)


SDK = {
    "PROJECT": """\
domain: example.com
layout:
- ansible.sdk.operatorframework.io/v1
plugins:
  manifests.sdk.operatorframework.io/v2: {}
  scorecard.sdk.operatorframework.io/v2: {}
projectName: theirs
resources:
- api:
    crdVersion: v1
    namespaced: true
  domain: example.com
  group: cache
  kind: Old
  version: v1
version: "3"
""",
    "watches.yaml": """\
---
# Entries are added by a command.
- version: v1
  group: cache.example.com
  kind: Old
  role: old
# +kubebuilder:scaffold:watch
""",
    "config/rbac/role.yaml": """\
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: manager-role
rules:
  ##
  ## Base operator rules
  ##
  - apiGroups:
      - ""
    resources:
      - secrets
    verbs:
      - get
# +kubebuilder:scaffold:rules
""",
}


def test_a_project_of_operator_sdk_gets_a_kind_more(folder: Path) -> None:
    """It has the same layout; what it has besides stays, comments included."""
    for path, text in SDK.items():
        write(folder, path, text)

    run("create", "api", *NAMES, ROLE)

    assert [one["role"] for one in entries(folder)] == ["old", "memcached"]
    for path in ("watches.yaml", "config/rbac/role.yaml"):
        assert "# +kubebuilder:scaffold:" in (folder / path).read_text()
    found = get_project().project
    assert found.plugins.keys() == {
        "manifests.sdk.operatorframework.io/v2",
        "scorecard.sdk.operatorframework.io/v2",
        "ansible.sdk.operatorframework.io/v1",
    }
    assert [one.kind for one in found.resources] == ["Old", "Memcached"]

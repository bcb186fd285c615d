"""Roles under development."""

from pathlib import Path

from kubewright.cli.ansible.project import AnsibleProject

WATCHES = "- group: example.com\n  version: v1\n  kind: Shop\n  role: shop\n"


def test_saved_and_new_files_of_roles_are_seen(tmp_path: Path) -> None:
    """The next run would read them anyway, but it needs a reason."""
    tasks = tmp_path / "corner" / "roles" / "shop" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "main.yml").write_text("[]")
    (tmp_path / "corner" / "watches.yaml").write_text(WATCHES)
    project = AnsibleProject(str(tmp_path / "corner" / "watches.yaml"))
    assert project.load().name == "corner"
    assert (project.label, project.changed()) == ("corner", [])

    (tasks / "main.yml").write_text("- debug:")
    (tmp_path / "corner" / "roles" / "shop" / "new.yml").write_text("")

    assert [path.name for path in project.changed()] == ["main.yml", "new.yml"]

"""The merge of a project with the scaffold of newer templates."""

import subprocess
from pathlib import Path

from kubewright.cli.update.git import Repository
from kubewright.cli.update.renewal import Scaffolds, renew
from kubewright.scaffold.manifests import MARK

NAMES = ("kubewright/shop", "kubewright/scaffold-2")


def repository(folder: Path, **files: str) -> Repository:
    """Make a repository with *files* in one commit."""
    for name, text in files.items():
        (folder / name).write_text(text)
    who = ["-c", "user.name=U", "-c", "user.email=u@localhost"]
    for words in (["init", "--quiet"], ["add", "--all"], [*who, "commit", "--quiet", "-mfiles"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return Repository(folder)


def test_what_changed_in_the_templates_is_merged_into_what_people_wrote(tmp_path: Path) -> None:
    """Their own files, and their own lines, stay."""
    found = repository(tmp_path, Makefile="a\nb\nmine\n", code="mine\n", old="x\n", PROJECT="1\n")
    old = {"Makefile": "a\nb\nc\n", "old": "x\n", "PROJECT": "0\n"}
    new = {"Makefile": "A\nb\nc\n", "new": "y\n", "PROJECT": "0\n"}

    made = renew(found, "HEAD", Scaffolds(old, new, kept={"PROJECT": "2\n"}), names=NAMES)

    assert made.conflicts == ()
    assert {path: what for what, path in made.changes} == {
        "Makefile": "update",
        "PROJECT": "update",
        "new": "create",
        "old": "delete",
    }
    commit = found.commit(made.tree, message="x", ours=True)
    assert found.find_text(commit, "Makefile") == "A\nb\nmine\n"
    assert found.find_text(commit, "PROJECT") == "2\n"


def test_generated_manifests_are_left_to_the_command_that_makes_them(tmp_path: Path) -> None:
    """They come from the code, so a merge of them would be a conflict about nothing."""
    found = repository(tmp_path, role=f"{MARK}of the code\n")
    scaffolds = Scaffolds({"role": f"{MARK}old\n"}, {"role": f"{MARK}new\n"}, kept={})

    made = renew(found, "HEAD", scaffolds, names=NAMES)

    assert (made.changes, made.conflicts) == ((), ())


def test_what_people_have_removed_stays_removed(tmp_path: Path) -> None:
    """Unless it changed meanwhile: then they are asked."""
    found = repository(tmp_path, code="mine\n")
    old = {"same": "a\n", "other": "b\n"}

    made = renew(found, "HEAD", Scaffolds(old, {"same": "a\n", "other": "B\n"}, {}), names=NAMES)

    assert made.conflicts == ("other",)
    assert made.changes == (("create", "other"),)

"""What an update does with git."""

import subprocess
from pathlib import Path

import pytest

from kubewright.cli.update.git import Repository
from kubewright.errors import ConfigError

IDENTITY = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know nothing of the user's own settings."""
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)


def git(folder: Path, *words: str) -> str:
    """Run git as a user would; return what it prints."""
    command = ["git", "-c", "user.name=U", "-c", "user.email=u@localhost", *words]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(params=["", "operators/shop"], ids=["top", "below"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Make a repository with one commit; the project is at its top, or in a folder of it."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    place = tmp_path / str(request.param)
    place.mkdir(parents=True, exist_ok=True)
    commit(place, **{"a.txt": "1\n2\n3\n", "other.txt": "other\n"})
    (tmp_path / "outside.txt").write_text("outside\n")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=outside")
    return place


def commit(folder: Path, **files: str) -> None:
    """Commit *files*."""
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "add", "--all", ".")
    git(folder, "commit", "--quiet", "--message=files")


def test_texts_are_those_of_the_commit(folder: Path) -> None:
    """Whatever lies in the folder meanwhile."""
    (folder / "a.txt").write_text("changed\n")
    repository = Repository(folder)

    assert repository.find_text("main", "a.txt") == "1\n2\n3\n"
    assert repository.find_text("main", "none.txt") is None
    assert repository.find_commit("main") == git(folder, "rev-parse", "main")
    assert repository.find_commit("none") is None


def test_files_with_changes_are_found_and_new_ones_are_not(folder: Path) -> None:
    """A file that git does not know is in nobody's way."""
    repository = Repository(folder)
    assert repository.changed_files() == []

    (folder / "a.txt").write_text("changed\n")
    (folder / "new.txt").write_text("new\n")
    git(folder, "rm", "--quiet", "other.txt")

    assert sorted(repository.changed_files()) == ["a.txt", "other.txt"]


def test_a_merge_has_both_sides_and_touches_nothing(folder: Path) -> None:
    """Files that the other side does not know stay, also those outside of the folder."""
    repository = Repository(folder)
    commit(folder, **{"a.txt": "1\n2\nmine\n"})
    base = repository.write_tree({"a.txt": "1\n2\n3\n"})
    other = repository.write_tree({"a.txt": "theirs\n2\n3\n", "b/c.txt": "new\n"})

    found = repository.merge(
        "main^{tree}", other, base=base, names=("kubewright/a", "kubewright/b")
    )

    assert found.conflicts == ()
    changes = sorted(repository.changes("main", found.tree))
    assert changes == [("create", "b/c.txt"), ("update", "a.txt")]
    tree = repository.commit(found.tree, "HEAD", message="merged", ours=True)
    assert repository.find_text(tree, "a.txt") == "theirs\n2\nmine\n"
    assert (folder / "a.txt").read_text() == "1\n2\nmine\n"
    assert git(folder, "status", "--porcelain") == ""
    assert git(folder, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_conflicts_are_named_and_marked(folder: Path) -> None:
    """With the names of the sides, so that people know which is theirs."""
    repository = Repository(folder)
    commit(folder, **{"a.txt": "1\nmine\n3\n"})
    base = repository.write_tree({"a.txt": "1\n2\n3\n", "other.txt": "before\n"})
    other = repository.write_tree({"a.txt": "1\ntheirs\n3\n"})

    found = repository.merge(
        "main^{tree}", other, base=base, names=("kubewright/a", "kubewright/b")
    )

    assert sorted(found.conflicts) == ["a.txt", "other.txt"]
    tree = repository.commit(found.tree, message="merged", ours=True)
    assert repository.find_text(tree, "a.txt") == (
        "1\n<<<<<<< kubewright/a\nmine\n=======\ntheirs\n>>>>>>> kubewright/b\n3\n"
    )


def test_a_tree_can_be_written_onto_another(folder: Path) -> None:
    """The rest of that stays as it is."""
    repository = Repository(folder)

    tree = repository.write_tree({"a.txt": "new\n", "ä ö.txt": "ü\n"}, onto="main")

    changes = sorted(repository.changes("main", tree))
    assert changes == [("create", "ä ö.txt"), ("update", "a.txt")]


def test_a_branch_is_made_once(folder: Path) -> None:
    """One of another update may have work in it."""
    repository = Repository(folder)
    found = repository.find_commit("main")
    assert found is not None

    repository.make_branch("update", found)

    assert repository.has_branch("update")
    assert git(folder, "branch", "--show-current") == "main"
    with pytest.raises(ConfigError, match="git update-ref failed"):
        repository.make_branch("update", found)


def test_without_a_name_git_says_what_to_do(folder: Path) -> None:
    """The commit is the user's, and git asks for who that is."""
    repository = Repository(folder)
    git(folder, "config", "user.useConfigOnly", "true")

    with pytest.raises(ConfigError, match=r"git commit-tree failed: (?s:.*)user\.email"):
        repository.commit("main^{tree}", message="update")


def test_a_folder_outside_of_git_is_refused(tmp_path: Path) -> None:
    """With the way to go on."""
    with pytest.raises(ConfigError, match=r"is not in a git repository.*`git init`"):
        Repository(tmp_path)


def test_a_machine_without_git_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not with a traceback."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match="git is not installed"):
        Repository(tmp_path)


def test_an_old_git_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot merge apart from the files that people work on."""
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\necho git version 2.34.1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match=r"git version 2\.34\.1 is too old.*2\.38 or newer"):
        Repository(tmp_path)

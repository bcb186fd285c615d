"""``kubewright alpha update`` in a project whose templates have changed."""

import subprocess
from importlib import resources
from pathlib import Path
from shutil import copytree

import pytest

from kubewright.cli.update.update import Options, run
from kubewright.errors import ConfigError
from kubewright.scaffold.project import API, LAYOUT, Project, ProjectResource
from kubewright.scaffold.replay import project_files
from kubewright.scaffold.templates import CURRENT, Templates

OLD = "0.0"
BRANCH = f"kubewright-update-from-{OLD}-to-{CURRENT}"
MAKEFILE = "IMG ?= controller:latest"

Capture = pytest.CaptureFixture[str]


def templates_in(folder: Path) -> None:
    """Put templates into *folder*: those of today, and others as they might have been before."""
    today = resources.files("kubewright.scaffold") / "templates" / CURRENT
    with resources.as_file(today) as source:
        copytree(source, folder / CURRENT)
    copytree(folder / CURRENT, folder / OLD)
    init = folder / OLD / "init"
    makefile = init / "Makefile.j2"
    assert MAKEFILE in makefile.read_text()
    makefile.write_text(makefile.read_text().replace(MAKEFILE, "IMG ?= operator:latest"))
    (init / "gone.txt.j2").write_text("of old\n")
    (init / ".dockerignore.j2").unlink()


def git(folder: Path, *words: str) -> str:
    """Run git as a user would; return what it prints."""
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


IDENTITY = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "U",
    "GIT_AUTHOR_EMAIL": "u@localhost",
    "GIT_COMMITTER_NAME": "U",
    "GIT_COMMITTER_EMAIL": "u@localhost",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project of old templates, once, beside the templates."""
    folder = tmp_path_factory.mktemp("made")
    templates_in(folder / "templates")
    stand = ProjectResource(
        kind="Stand",
        version="v1",
        group="shop",
        domain="example.com",
        path="shop.api.v1.stand",
        api=API(crd_version="v1", namespaced=True),
        controller=True,
    )
    project = Project(
        domain="example.com",
        project_name="shop",
        repo="shop",
        version="3",
        layout=[LAYOUT],
        cli_version=OLD,
        resources=[stand],
    )
    for path, text in project_files(project, find(folder, OLD)).items():
        put(folder / "home" / path, text)
    return folder


@pytest.fixture
def home(tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commit the project in a repository of its own, and go there."""
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    copytree(made, tmp_path, dirs_exist_ok=True)
    home = tmp_path / "home"
    git(home, "init", "--quiet", "--initial-branch=main")
    save(home)
    monkeypatch.chdir(home)
    return home


def find(folder: Path, version: str) -> Templates:
    """Return the templates of *version*."""
    return Templates(version, root=folder / "templates")


def put(path: Path, text: str) -> None:
    """Write *text* to *path*."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def save(home: Path) -> None:
    """Commit everything."""
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--message=work")


def change(home: Path, path: str, before: str, after: str) -> None:
    """Change the file *path*, and commit it."""
    text = (home / path).read_text()
    assert before in text
    (home / path).write_text(text.replace(before, after))
    save(home)


def update(home: Path, **options: object) -> int:
    """Run the command with the templates of the test."""
    return run(Options(**options), templates=lambda version: find(home.parent, version))  # type: ignore[arg-type]  # as the caller says


def test_what_changed_in_the_templates_is_on_a_new_branch(home: Path, capsys: Capture) -> None:
    """With the user's own changes, and the version that it now has."""
    change(home, "config/manager/manager.yaml", "replicas: 1", "replicas: 3")
    before = git(home, "rev-parse", "main")

    assert update(home) == 0

    assert git(home, "rev-parse", f"{BRANCH}^") == before
    assert MAKEFILE in git(home, "show", f"{BRANCH}:Makefile")
    assert "replicas: 3" in git(home, "show", f"{BRANCH}:config/manager/manager.yaml")
    assert f"cliVersion: '{CURRENT}'" in git(home, "show", f"{BRANCH}:PROJECT")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "create    .dockerignore",
        "update    Makefile",
        "update    PROJECT",
        "delete    gone.txt",
        "update    pyproject.toml",
    ]
    assert f"  git switch {BRANCH}" in lines


def test_the_working_tree_is_left_alone(home: Path) -> None:
    """Whoever runs it may be in the middle of something that git does not know of."""
    put(home / "notes.txt", "mine\n")

    update(home)

    assert git(home, "branch", "--show-current") == "main"
    assert git(home, "status", "--porcelain") == "?? notes.txt"
    assert git(home, "for-each-ref", "--format=%(refname:short)").split() == [BRANCH, "main"]


def test_an_update_of_the_branch_finds_nothing_to_do(home: Path, capsys: Capture) -> None:
    """The result is of the newest templates."""
    update(home)
    git(home, "switch", "--quiet", BRANCH)
    capsys.readouterr()

    assert update(home) == 0

    assert capsys.readouterr().out == (
        f"the scaffold is that of {CURRENT} already: there is nothing to do\n"
    )


def test_a_branch_of_another_name_can_be_updated(home: Path) -> None:
    """The one that is released, say, while work goes on elsewhere."""
    git(home, "switch", "--quiet", "--create", "work")
    git(home, "rm", "--quiet", "Makefile")
    git(home, "commit", "--quiet", "--message=work")

    assert update(home, from_branch="main", output_branch="renewed") == 0

    assert git(home, "rev-parse", "renewed^") == git(home, "rev-parse", "main")


def test_a_dry_run_makes_no_branch(home: Path, capsys: Capture) -> None:
    """It says what would be done."""
    assert update(home, dry_run=True) == 0

    assert "would update    Makefile\n" in capsys.readouterr().out
    assert git(home, "branch", "--format=%(refname:short)") == "main"


def test_conflicts_are_listed_and_no_branch_is_made(home: Path, capsys: Capture) -> None:
    """A half of an update is not put before anybody who has not asked for it."""
    change(home, "Makefile", "IMG ?= operator:latest", "IMG ?= mine:latest")
    change(home, "gone.txt", "of old", "of mine")

    assert update(home) == 1

    captured = capsys.readouterr()
    assert "conflict  Makefile\n" in captured.out
    assert "conflict  gone.txt\n" in captured.out
    assert f"No branch was made. With --force, the branch {BRANCH} is made" in captured.err
    assert git(home, "branch", "--format=%(refname:short)") == "main"
    assert update(home, dry_run=True) == 1


def test_force_makes_the_branch_with_conflicts_between_markers(home: Path, capsys: Capture) -> None:
    """An editor then shows both sides; the message of the commit has the list."""
    change(home, "Makefile", "IMG ?= operator:latest", "IMG ?= mine:latest")

    assert update(home, force=True) == 0

    assert (
        "<<<<<<< kubewright/shop\nIMG ?= mine:latest\n=======\nIMG ?= controller:latest\n"
        f">>>>>>> kubewright/scaffold-{CURRENT}\n"
    ) in git(home, "show", f"{BRANCH}:Makefile")
    assert git(home, "log", "-1", "--format=%B", BRANCH).endswith("Conflicts:\n- Makefile")
    assert "(edit the files with conflicts)" in capsys.readouterr().out


# --- What goes wrong ---


def fails(home: Path, said: str, **options: object) -> None:
    """Check that the command ends with an error that matches *said*, and makes no branch."""
    before = git(home, "for-each-ref") if (home / ".git").exists() else ""

    with pytest.raises(ConfigError, match=said):
        update(home, **options)

    assert not (home / ".git").exists() or git(home, "for-each-ref") == before


def test_changes_that_are_not_committed_are_named(home: Path) -> None:
    """The update would be one of the state before them."""
    (home / "Makefile").write_text("mine\n")

    fails(home, r"changes that are not committed: Makefile\. .*`git stash`")


def test_a_project_without_git_is_told_how_to_begin(home: Path) -> None:
    """Without a merge there is no way back, and no way to see what changed."""
    (home / ".git").rename(home.parent / "away")

    fails(home, r"is not in a git repository.*`git init`")


def test_a_repository_without_a_commit_is_told_so(home: Path) -> None:
    """There is nothing to merge with."""
    (home / ".git").rename(home.parent / "away")
    git(home, "init", "--quiet")

    fails(home, "the repository has no commit yet")


def test_a_project_that_was_never_committed_is_told_so(home: Path) -> None:
    """The last commit is of before `kubewright init`."""
    git(home, "rm", "--quiet", "--cached", "PROJECT")
    git(home, "commit", "--quiet", "--message=without")

    fails(home, "the last commit has no file PROJECT")


def test_a_branch_that_does_not_exist_is_named(home: Path) -> None:
    """With the name, as it was typed."""
    fails(home, "--from-branch: there is no branch 'nowhere'", from_branch="nowhere")


def test_a_branch_of_an_earlier_update_is_not_overwritten(home: Path) -> None:
    """Somebody may have resolved conflicts there."""
    update(home)

    fails(home, f"there is a branch {BRANCH} already.*git branch -D")


def test_a_name_that_is_none_for_a_branch_is_refused(home: Path) -> None:
    """Before anything is merged."""
    fails(home, r"--output-branch: git takes no branch called '\.\.'", output_branch="..")


def test_templates_that_are_not_kept_are_named(home: Path) -> None:
    """A project may come from a newer version than the one that is installed."""
    with pytest.raises(ConfigError, match=r"no templates of version '0\.0' in this kubewright"):
        run(Options())


def test_a_project_that_does_not_know_its_version_needs_one(home: Path) -> None:
    """The base of the merge is made with it."""
    change(home, "PROJECT", f"cliVersion: '{OLD}'\n", "")

    fails(home, "say it with --from-version")
    assert update(home, from_version=OLD) == 0


def test_a_folder_without_a_project_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by all commands for projects."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigError, match="there is no project here"):
        run(Options())

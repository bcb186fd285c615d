"""A project whose modules move is never without one of them, whenever the command ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.cli.project.edition import EditOptions
from kubewright.cli.project.edition import run as edit
from tests.unit.cli.project.running import run, tree_of

FEW = 50
OF_SHOP = ("--group", "shop", "--version", "v1", "--kind", "Shop")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two kinds and a webhook."""
    made = tmp_path / "before"
    made.mkdir()
    monkeypatch.chdir(made)
    run("init", "--domain", "example.com", "--project-name", "town")
    run("create", "api", *OF_SHOP)
    run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Cart")
    run("create", "webhook", *OF_SHOP, "--defaulting")
    return made


def ended_by(signum: signal.Signals, project: Path) -> list[Path]:
    """Return the folders in which the command got the signal, at one step after the other."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.dying", str(project.parent), signum.name],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    said = [line.split() for line in done.stdout.splitlines() if line.startswith("step")]
    steps = [(words[1], int(words[3])) for words in said]
    assert steps[-1][1] == 0, "it has lived to the end"
    assert {status for _, status in steps[:-1]} == {-signum}
    assert len(steps) > FEW
    return [project.parent / step for step, _ in steps]


@pytest.mark.timeout(120)
def test_killed_at_any_step_it_has_lost_nothing(project: Path) -> None:
    """Each file is there as it was, or what it has become is: in git, or not yet in git."""
    folders = ended_by(signal.SIGKILL, project)
    before, after = tree_of(project), tree_of(folders[-1])
    moved = {path for path in before if path not in after}
    assert moved

    for folder in folders:
        found = tree_of(folder)
        is_whole = all(found.get(path) == text for path, text in after.items())
        lost = {
            path
            for path, text in before.items()
            if found.get(path) != text
            and (not is_whole if path in moved else found.get(path) != after[path])
        }
        assert not lost, f"at step {folder.name}"


@pytest.mark.timeout(120)
def test_killed_before_all_was_there_it_can_be_run_again(project: Path) -> None:
    """What was made already is what would be made."""
    folders = ended_by(signal.SIGKILL, project)
    after = tree_of(folders[-1])
    begun = [one for one in folders if (one / "PROJECT").read_bytes() != after["PROJECT"]]
    assert begun

    for folder in begun[::5]:
        edit(EditOptions(multigroup=True, manifests=False), folder)
        found = tree_of(folder)
        halves = {path for path in found.keys() - after.keys() if Path(path).name[0] == "."}
        assert {path: found[path] for path in found.keys() - halves} == after


@pytest.mark.timeout(120)
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_asked_to_end_at_any_step_it_has_done_all_or_nothing(
    signum: signal.Signals, project: Path
) -> None:
    """A closed terminal, a CI job that is cancelled: nobody has to clean up after it."""
    folders = ended_by(signum, project)
    before, after = tree_of(project), tree_of(folders[-1])

    outcomes = [tree_of(folder) for folder in folders]

    assert all(one in (before, after) for one in outcomes)
    assert outcomes[0] == before

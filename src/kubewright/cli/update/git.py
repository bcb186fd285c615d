"""`Repository`: what an update needs of git, without touching the files that people work on."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kubewright.errors import ConfigError

__all__ = ["Merge", "Repository"]

_OURSELVES = {
    "GIT_AUTHOR_NAME": "kubewright",
    "GIT_AUTHOR_EMAIL": "kubewright@localhost",
    "GIT_COMMITTER_NAME": "kubewright",
    "GIT_COMMITTER_EMAIL": "kubewright@localhost",
}
_OLDEST = (2, 38)  # the first with `git merge-tree --write-tree`
_PLAIN = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


class Merge(NamedTuple):
    """What a merge comes to.

    Attributes:
        tree: The tree; files with conflicts have both sides in it, between markers.
        conflicts: The files that people have to look at.
    """

    tree: str
    conflicts: tuple[str, ...]


class Repository:
    """The git repository that a folder is in; paths are from that folder.

    Args:
        folder: The folder.

    Raises:
        ConfigError: It is in none, or git is missing or too old.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._check_version()
        try:
            self._prefix = self._ask("rev-parse", "--show-prefix").rstrip("\n")
            # From here on at the top, since some commands name paths from where they are called.
            self._folder = Path(self._ask("rev-parse", "--show-toplevel").rstrip("\n"))
        except ConfigError as error:
            raise ConfigError(
                f"{folder} is not in a git repository, and an update is a merge in git: make one"
                f" with `git init`, and commit the project. ({error})"
            ) from None

    def find_commit(self, name: str) -> str | None:
        """Return the commit that *name* stands for, such as a branch."""
        done = self._run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return done.stdout.decode().strip() or None

    def has_branch(self, name: str) -> bool:
        """Tell whether there is a branch *name*."""
        done = self._run("show-ref", "--verify", "--quiet", f"refs/heads/{name}")
        return done.returncode == 0

    def is_branch_name(self, name: str) -> bool:
        """Tell whether a branch can be called *name*."""
        return self._run("check-ref-format", "--branch", name).returncode == 0

    def changed_files(self) -> list[str]:
        """Return the files that differ from the last commit; new ones do not count."""
        said = self._ask(
            "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames",
            "--", self._prefix or ".",
        )  # fmt: skip
        return [one[3:].removeprefix(self._prefix) for one in said.split("\0") if one]

    def find_text(self, commit: str, path: str) -> str | None:
        """Return the text of the file *path* in *commit*; ``None`` if it has no such file."""
        done = self._run("cat-file", "blob", f"{commit}:{self._prefix}{path}")
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

    def write_tree(self, files: Mapping[str, str], *, onto: str = "") -> str:
        """Return a tree with *files*, by path.

        Args:
            files: The texts.
            onto: A commit or tree that has the other files; by default there are none.
        """
        with tempfile.TemporaryDirectory(prefix="kubewright-") as folder:
            work = Path(folder, "work")
            for path, text in files.items():
                place = work / self._prefix / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(text.encode())
            work.mkdir(exist_ok=True)
            index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            if onto:
                self._ask("read-tree", onto, more=index)
            self._stage(work, [f"{self._prefix}{path}" for path in files], index)
            return self._ask("write-tree", more=index).strip()

    def _stage(self, work: Path, paths: Sequence[str], index: Mapping[str, str]) -> None:
        places = "".join(f"{work / path}\n" for path in paths)
        said = self._ask("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=places)
        entries = zip(said.split(), paths, strict=True)
        lines = "".join(f"100644 {blob}\t{path}\0" for blob, path in entries)
        self._ask("update-index", "--add", "-z", "--index-info", stdin=lines, more=index)

    def commit(self, tree: str, *parents: str, message: str, ours: bool = False) -> str:
        """Return a commit of *tree*; no branch has it yet.

        Args:
            tree: The tree.
            parents: The commits that it comes after.
            message: Its message.
            ours: Whether to make it in our own name; by default, in the user's.
        """
        flags = [word for one in parents for word in ("-p", one)]
        identity = _OURSELVES if ours else {}
        return self._ask("commit-tree", tree, *flags, stdin=message, more=identity).strip()

    def merge(self, tree: str, other: str, *, base: str, names: tuple[str, str]) -> Merge:
        """Merge two trees, outside of the files that people work on.

        Args:
            tree: The one.
            other: The other.
            base: The tree that both come from.
            names: What the two sides are called between the markers of a conflict.
        """
        root = self.commit(base, message="base", ours=True)
        sides = [self.commit(one, root, message="side", ours=True) for one in (tree, other)]
        with self._named(dict(zip(names, sides, strict=True))):
            done = self._run(
                "-c", "merge.renameLimit=999999", "-c", "merge.conflictStyle=merge",
                "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", *names,
            )  # fmt: skip
        if done.returncode not in {0, 1}:
            raise ConfigError(f"git cannot merge: {_said(done)}")
        merged, *found = done.stdout.decode("utf-8", "surrogateescape").split("\0")
        mine = [one.removeprefix(self._prefix) for one in found if one.startswith(self._prefix)]
        return Merge(merged, tuple(dict.fromkeys(one for one in mine if one)))

    @contextmanager
    def _named(self, commits: Mapping[str, str]) -> Iterator[None]:
        """Give *commits* names for as long as the markers of a conflict are written."""
        try:
            for name, commit in commits.items():
                self._ask("update-ref", f"refs/{name}", commit)
            yield
        finally:
            for name in commits:
                self._run("update-ref", "-d", f"refs/{name}")

    def changes(self, before: str, after: str) -> Iterator[tuple[str, str]]:
        """Yield what is done to each file between two commits or trees: the word, and the path."""
        words = {"A": "create", "D": "delete"}
        said = self._ask("diff-tree", "-r", "-z", "--no-renames", "--name-status", before, after)
        fields = iter(said.split("\0"))
        for status, path in zip(fields, fields, strict=False):
            yield words.get(status, "update"), path.removeprefix(self._prefix)

    def make_branch(self, name: str, commit: str) -> None:
        """Make the branch *name* at *commit*; it must not be there yet."""
        self._ask("update-ref", "-m", "kubewright alpha update", f"refs/heads/{name}", commit, "")

    # --- Calling git ---

    def _check_version(self) -> None:
        said = self._ask("version")
        numbers = [int(one) for one in re.findall(r"\d+", said)[:2]]
        if tuple(numbers) < _OLDEST:
            wanted = ".".join(map(str, _OLDEST))
            raise ConfigError(f"{said.strip()} is too old for this: it takes {wanted} or newer")

    def _ask(self, *words: str, stdin: str = "", more: Mapping[str, str] | None = None) -> str:
        done = self._run(*words, stdin=stdin, more=more)
        if done.returncode:
            command = next((one for one in words if not one.startswith("-")), "")
            raise ConfigError(f"git {command} failed: {_said(done)}")
        return done.stdout.decode("utf-8", "surrogateescape")

    def _run(
        self, *words: str, stdin: str = "", more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, **_PLAIN, **(more or {})}
        try:
            return subprocess.run(  # noqa: S603  # the words are ours
                ["git", *words],  # noqa: S607  # the user's own git
                cwd=self._folder,
                env=environment,
                input=stdin.encode("utf-8", "surrogateescape"),
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            raise ConfigError("git is not installed, and an update is a merge in git") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    text = done.stderr.decode("utf-8", "replace").strip()
    return text or f"it ended with status {done.returncode}"

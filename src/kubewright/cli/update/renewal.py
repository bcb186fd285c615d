"""Brings the scaffold of a project up to date: a merge of three trees, on a branch of its own.

The base is the scaffold as it was made, of the templates of that time; the one side is the project
as it is, the other the scaffold of today's templates. Nobody's files are touched: the result is a
branch, which people merge when they have looked at it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from kubewright.cli.update.git import Repository
from kubewright.scaffold.manifests import is_ours

__all__ = ["Renewal", "Scaffolds", "renew"]


class Scaffolds(NamedTuple):
    """The files of a project as templates make them, by path.

    Attributes:
        old: Those of the templates that it was made with.
        new: Those of the templates that it should have been made with.
        kept: Files that are not merged, as they are to be: PROJECT.
    """

    old: Mapping[str, str]
    new: Mapping[str, str]
    kept: Mapping[str, str]


class Renewal(NamedTuple):
    """What an update does.

    Attributes:
        tree: The tree of the project after it.
        changes: What happens to each file: the word, and the path.
        conflicts: The files in which both people and templates have changed the same.
    """

    tree: str
    changes: tuple[tuple[str, str], ...]
    conflicts: tuple[str, ...]


def renew(
    repository: Repository, commit: str, scaffolds: Scaffolds, *, names: tuple[str, str]
) -> Renewal:
    """Return *commit* with what changed between the *scaffolds*; nothing is changed yet.

    Args:
        repository: The repository of the project.
        commit: The project as it is.
        scaffolds: The project as it would be made.
        names: What the sides are called in a conflict: the user's, and that of the templates.
    """
    base = repository.write_tree(_written_once(scaffolds.old))
    other = repository.write_tree(_written_once(scaffolds.new))
    merged = repository.merge(f"{commit}^{{tree}}", other, base=base, names=names)
    tree = repository.write_tree(scaffolds.kept, onto=merged.tree)
    changes = tuple(repository.changes(commit, tree))
    return Renewal(tree, changes, merged.conflicts)


def _written_once(files: Mapping[str, str]) -> dict[str, str]:
    """Return those of *files* that people edit: all others are made anew from the code anyway."""
    return {path: text for path, text in files.items() if not is_ours(text) and path != "PROJECT"}

"""The command ``kubewright alpha update``."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kubewright.cli.fatal import tell
from kubewright.cli.project.folder import NAME, get_project
from kubewright.cli.update.git import Repository
from kubewright.cli.update.renewal import Renewal, Scaffolds, renew
from kubewright.errors import ConfigError
from kubewright.scaffold.project import Project
from kubewright.scaffold.replay import project_files
from kubewright.scaffold.templates import CURRENT, VERSIONS, Templates

__all__ = ["Options", "run"]

_SHOWN = 5  # of the files with changes


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright alpha update --help``."""

    from_version: str = ""
    to_version: str = ""
    from_branch: str = ""
    output_branch: str = ""
    force: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """An update that makes sense.

    Attributes:
        repository: Where the project is.
        commit: The project as it is.
        project: What its file PROJECT says there.
        text: That file.
        old: The version of the templates that it was made with.
        new: The version that it is to have.
        branch: The branch that the result goes to.
    """

    repository: Repository
    commit: str
    project: Project
    text: str
    old: str
    new: str
    branch: str


def run(options: Options, *, templates: Callable[[str], Templates] = Templates) -> int:
    """Make a branch with the project in the scaffold of newer templates; return the exit status.

    Args:
        options: What the user wants.
        templates: Finds the templates of a version.

    Raises:
        ConfigError: There is no such project, version or branch, or it has changes.
    """
    plan = _plan(options)
    if plan.old == plan.new:
        print(f"the scaffold is that of {plan.new} already: there is nothing to do")  # noqa: T201
        return 0
    scaffolds = _scaffolds(plan, templates)
    names = (f"kubewright/{plan.project.project_name}", f"kubewright/scaffold-{plan.new}")
    found = renew(plan.repository, plan.commit, scaffolds, names=names)
    _print(found, dry_run=options.dry_run)
    if options.dry_run:
        return 1 if found.conflicts else 0
    if found.conflicts and not options.force:
        _tell_conflicts(plan)
        return 1
    commit = plan.repository.commit(found.tree, plan.commit, message=_message(plan, found))
    plan.repository.make_branch(plan.branch, commit)
    _print_next(plan, found)
    return 0


def _plan(options: Options) -> _Plan:
    folder = get_project()
    repository = Repository(folder.root)
    commit = _commit_of(repository, options.from_branch)
    text = repository.find_text(commit, NAME)
    if text is None:
        raise ConfigError(
            f"{options.from_branch or 'the last commit'} has no file {NAME} in {folder.root}:"
            " commit the project first"
        )
    project = Project.read(text, place=str(folder.root / NAME))
    old, new = _versions(project, options)
    branch = options.output_branch or f"kubewright-update-from-{old}-to-{new}"
    if old != new:
        _check_branch(repository, branch, dry_run=options.dry_run)
        _check_clean(repository)
    return _Plan(repository, commit, project, text, old, new, branch)


def _commit_of(repository: Repository, branch: str) -> str:
    found = repository.find_commit(branch or "HEAD")
    if found is None and branch:
        raise ConfigError(f"--from-branch: there is no branch {branch!r} in this repository")
    if found is None:
        raise ConfigError(
            "the repository has no commit yet, and an update is a merge with the last one: commit"
            " the project first"
        )
    return found


def _versions(project: Project, options: Options) -> tuple[str, str]:
    old, new = options.from_version or project.cli_version, options.to_version or CURRENT
    if not old:
        raise ConfigError(
            f"{NAME} does not say in cliVersion which templates the project was made with: say it"
            f" with --from-version; there are {', '.join(VERSIONS)}"
        )
    order = [one for one in VERSIONS if one in {old, new}]
    if order == [new, old] and old != new:
        raise ConfigError(
            f"the project was made with the templates of {old}, and those of {new} are older:"
            " scaffolds are updated to newer ones only"
        )
    return old, new


def _check_branch(repository: Repository, branch: str, *, dry_run: bool) -> None:
    if not repository.is_branch_name(branch):
        raise ConfigError(f"--output-branch: git takes no branch called {branch!r}")
    if repository.has_branch(branch) and not dry_run:
        raise ConfigError(
            f"there is a branch {branch} already, most likely of an update before this: merge or"
            f" delete it (git branch -D {branch}), or name another with --output-branch"
        )


def _check_clean(repository: Repository) -> None:
    changed = repository.changed_files()
    if changed:
        shown = ", ".join(changed[:_SHOWN]) + (", ..." if len(changed) > _SHOWN else "")
        raise ConfigError(
            f"these files have changes that are not committed: {shown}. The update would not have"
            " them: commit them first, or put them away with `git stash`"
        )


def _scaffolds(plan: _Plan, templates: Callable[[str], Templates]) -> Scaffolds:
    old, new = (_files(plan.project, one, templates) for one in (plan.old, plan.new))
    plan.project.cli_version = plan.new
    return Scaffolds(old, new, kept={NAME: plan.project.text(plan.text)})


def _files(project: Project, version: str, templates: Callable[[str], Templates]) -> dict[str, str]:
    project.cli_version = version
    return project_files(project, templates(version))


def _print(found: Renewal, *, dry_run: bool) -> None:
    word = "would " if dry_run else ""
    said = {path: f"{word}{action}" for action, path in found.changes}
    said |= dict.fromkeys(found.conflicts, "conflict")
    for path, what in sorted(said.items()):
        print(f"{what:<{8 + len(word)}}  {path}")  # noqa: T201  # the summary


def _tell_conflicts(plan: _Plan) -> None:
    tell(
        "the files marked as conflicts have changed in the project and in the templates, in the"
        " same places, or are gone in one of them. No branch was made. With --force, the branch"
        f" {plan.branch} is made, with both sides between markers: switch to it, edit these files,"
        " and commit them"
    )


def _print_next(plan: _Plan, found: Renewal) -> None:
    steps: Iterable[str] = [f"git switch {plan.branch}"]
    if found.conflicts:
        steps = [*steps, "(edit the files with conflicts)"]
    steps = [
        *steps,
        "make manifests lint" if plan.project.is_codeless else "make manifests test",
        "git commit --all",
        "(merge the branch)",
    ]
    sys.stdout.write(f"\nThe branch {plan.branch} has the update. Next:\n")
    sys.stdout.writelines(f"  {one}\n" for one in steps)


def _message(plan: _Plan, found: Renewal) -> str:
    lines = [f"Update the scaffold from {plan.old} to {plan.new}", ""]
    lines += ["Made by `kubewright alpha update`."]
    if found.conflicts:
        lines += ["", "Conflicts:", *(f"- {one}" for one in found.conflicts)]
    return "\n".join(lines) + "\n"

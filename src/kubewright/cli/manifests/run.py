"""Loads an operator, and writes or checks its manifests."""

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from kubewright.api.names import check_dns_label
from kubewright.application import Application
from kubewright.cli.fatal import tell
from kubewright.cli.files import FileChange, changes_of, diff_of, lines_of, write
from kubewright.cli.load import load_operator, split_target
from kubewright.cli.manifests.ansible import role_manifests
from kubewright.cli.manifests.helm import chart_manifests
from kubewright.cli.project.folder import ProjectFolder, find_project, target_of
from kubewright.errors import ConfigError
from kubewright.scaffold.kustomization import check_names, faults_of
from kubewright.scaffold.manifests import (
    CRDS,
    GENERATED,
    MARK,
    is_ours,
    manifests_of,
    single_manifests,
    widened,
)

__all__ = ["Options", "run"]


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright manifests --help``."""

    target: str | None = None
    check: bool = False
    diff: bool = False
    dry_run: bool = False
    output: Path | None = None
    namespace: str = "default"
    force: bool = False


def run(options: Options) -> int:
    """Write the manifests, or check them; return the exit status.

    Raises:
        ConfigError: There is no such operator, a file is in the way, or the operator would not find
            its own objects.
        SchemaError: A class has no structural schema.
    """
    folder = find_project()
    if folder is not None and _is_of(folder, options.target):
        return _run_in_project(folder, options)
    return _run_alone(options)


def _is_of(folder: ProjectFolder, target: str | None) -> bool:
    """Tell whether *target* is in the package of the project."""
    if target is None:
        return True
    place = split_target(target)[0]
    package = folder.project.repo
    if not package:
        return False
    if place.endswith(".py"):
        return Path(place).absolute().is_relative_to(folder.root / package)
    return f"{place}.".startswith(f"{package}.")


def _run_in_project(folder: ProjectFolder, options: Options) -> int:
    if folder.project.is_helm:
        return _finish_in(folder, chart_manifests(folder), options)
    if folder.project.is_ansible:
        return _finish_in(folder, role_manifests(folder), options)
    target_of(None)  # so that modules of the project can be imported, wherever in it we are
    application = _load(options.target or folder.target)
    files = manifests_of(application, folder.project)
    check_names(files, folder.project.project_name, folder.find_text)
    if named := widened(application, folder.project):
        tell(
            f"the code names the namespaces {', '.join(named)}, and gets its rights in all"
            " namespaces: kustomize moves every role to the namespace of the project, so there can"
            " be none for others"
        )
    return _finish_in(folder, files, options)


def _finish_in(folder: ProjectFolder, files: Mapping[str, str], options: Options) -> int:
    if options.output is not None:
        return _finish(
            options.output, {_below(path): text for path, text in files.items()}, options
        )
    wanted = {**files, **dict.fromkeys(_leftovers(folder.root, files))}
    faults = list(faults_of(files, folder.find_text))
    return _finish(folder.root, wanted, options, faults)


def _run_alone(options: Options) -> int:
    try:
        check_dns_label(options.namespace)
    except ValueError as error:
        raise ConfigError(f"--namespace: {error}") from None
    files = single_manifests(_load(target_of(options.target)), namespace=options.namespace)
    if options.output is not None:
        return _finish(options.output, files, options)
    if options.check or options.diff or options.dry_run:
        raise ConfigError(
            "--check, --diff and --dry-run compare with files: say with --output in which folder"
            " they are, or run this in a project"
        )
    sys.stdout.write(MARK + "".join(text.removeprefix(MARK) for text in files.values()))
    return 0


def _load(target: str) -> Application:
    """Return the operator; what its modules print goes where it does not get into manifests."""
    with contextlib.redirect_stdout(sys.stderr):
        return load_operator(target)


def _below(path: str) -> str:
    return path.removeprefix("config/")


def _leftovers(root: Path, files: Iterable[str]) -> Iterator[str]:
    """Yield the files that were made once, and are not any more."""
    bases = sorted((root / CRDS).glob("*.yaml"))
    made = [*(one.relative_to(root).as_posix() for one in bases), *GENERATED]
    for change in changes_of(root, dict.fromkeys(path for path in made if path not in set(files))):
        if change.before is not None and is_ours(change.before):
            yield change.path


def _finish(
    root: Path, files: Mapping[str, str | None], options: Options, faults: Sequence[str] = ()
) -> int:
    changes = [one for one in changes_of(root, files) if one.action != "keep"]
    if not options.force:
        _check_ours(changes, root)
    if options.diff:
        sys.stdout.write(diff_of(changes))
    if options.check:
        return _report(changes, faults)
    if options.dry_run or not options.diff:
        _print(lines_of(changes, dry_run=options.dry_run), sys.stdout)
    if not (options.dry_run or options.diff):
        write(root, changes)
    for one in faults:
        tell(one)
    return 0


def _check_ours(changes: Iterable[FileChange], root: Path) -> None:
    foreign = [one.path for one in changes if one.before is not None and not is_ours(one.before)]
    if foreign:
        raise ConfigError(
            f"in {root}, these files do not begin as those that are written here do, so somebody"
            f" may have edited them: {', '.join(foreign)}. Move them away, or let --force overwrite"
            " them"
        )


def _report(changes: Sequence[FileChange], faults: Sequence[str]) -> int:
    _print((f"stale   {one.path}" for one in changes), sys.stderr)
    if changes:
        tell("the manifests are not up to date. Run `kubewright manifests` and commit the result.")
    for one in faults:
        tell(one)
    return 1 if changes or faults else 0


def _print(lines: Iterable[str], stream: TextIO) -> None:
    stream.writelines(f"{line}\n" for line in lines)

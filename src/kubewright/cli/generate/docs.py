"""The command ``kubewright generate docs``."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.cli.files import FileChange, changes_of, lines_of, write
from kubewright.cli.generate.filter import chosen
from kubewright.cli.generate.source import Source, read_sources
from kubewright.cli.project.folder import find_project, target_of
from kubewright.errors import ConfigError, SchemaError
from kubewright.scaffold.reference.kind import kinds_of
from kubewright.scaffold.reference.markdown import MARK, markdown_pages
from kubewright.scaffold.reference.web import web_page

__all__ = ["Options", "run"]

_OUTPUT = Path("docs/api")
_SAMPLES = Path("config/samples")


class Options(NamedTuple):
    """What the user wants; see ``kubewright generate docs --help``."""

    target: str | None = None
    output: Path | None = None
    sources: tuple[Source, ...] = ()
    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    form: str = "both"
    samples: Path | None = None
    title: str | None = None
    check: bool = False
    dry_run: bool = False


def run(options: Options) -> int:
    """Write the reference; return the exit status.

    Raises:
        ConfigError: There is no operator, a source cannot be read, or a file is somebody's.
        SchemaError: A CRD is malformed.
    """
    if options.target and options.sources:
        raise ConfigError("name an operator or --from-crd, not both: which kinds are meant?")
    crds, title = _crds(options)
    crds = chosen(crds, groups=options.groups, kinds=options.kinds)
    place = _place()
    output = options.output or place / _OUTPUT
    kinds = kinds_of(crds.values(), _samples(options.samples, place))
    title = options.title or title
    files: dict[str, str] = {}
    if options.form in {"markdown", "both"}:
        files |= markdown_pages(kinds, title=title)
    if options.form in {"html", "both"}:
        files["index.html"] = web_page(kinds, title=title)
    changes = changes_of(output, dict(sorted(files.items())))
    _check_ours(output, changes)
    return _finish(options, output, changes)


def _place() -> Path:
    """Return the folder of the project that we are in, as seen from here, or this one."""
    project = find_project()
    return Path(os.path.relpath(project.root)) if project else Path()


def _finish(options: Options, output: Path, changes: list[FileChange]) -> int:
    changed = [one for one in changes if one.action != "keep"]
    if options.check:
        for one in changed:
            print(f"stale  {output / one.path}")  # noqa: T201  # the result
        if changed:
            _tell("Run the same command without --check, and commit the result.")
        return int(bool(changed))
    if not options.dry_run:
        write(output, changes)
    shown = [one._replace(path=str(output / one.path)) for one in changed]
    for line in lines_of(shown, dry_run=options.dry_run):
        print(line)  # noqa: T201  # the result
    if not changed:
        print(f"{output} is up to date")  # noqa: T201  # the result
    return 0


def _crds(options: Options) -> tuple[Mapping[str, dict[str, Any]], str]:
    """Return the CRDs, and what to call the reference."""
    if options.sources:
        crds = read_sources(list(options.sources)).crds
        groups = sorted({crd["spec"]["group"] for crd in crds.values()})
        return crds, f"API reference of {groups[0]}" if len(groups) == 1 else "API reference"
    from kubewright.cli.load import load_operator

    target = target_of(options.target)
    operator = load_operator(target)
    documents = operator.crds()
    if not documents:
        raise ConfigError(
            f"the operator {operator.name} of {target} has no kinds of its own to describe. Name"
            " CRDs with --from-crd"
        )
    return {one["metadata"]["name"]: one for one in documents}, f"API reference of {operator.name}"


def _samples(folder: Path | None, above: Path) -> dict[tuple[str, str], list[str]]:
    """Return the objects in *folder*, as they are written, by apiVersion and kind."""
    from kubewright.scaffold.reference.sample import samples_in

    place = folder or above / _SAMPLES
    if not place.is_dir():
        if folder is not None:
            raise ConfigError(f"there is no folder {folder}, which --samples names")
        return {}
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted([*place.rglob("*.yaml"), *place.rglob("*.yml")]):
        try:
            samples = list(samples_in(path.read_text("utf-8")))
        except (OSError, UnicodeDecodeError, SchemaError) as error:
            raise ConfigError(f"cannot read the sample {path}: {error}") from error
        for key, text in samples:
            found.setdefault(key, []).append(text)
    return found


def _check_ours(folder: Path, changes: list[FileChange]) -> None:
    foreign = [
        str(folder / one.path)
        for one in changes
        if one.action == "update" and MARK not in (one.before or "")
    ]
    if foreign:
        raise ConfigError(
            f"not written by this command, and not overwritten: {', '.join(foreign)}. Move it away,"
            " or name another folder with --output"
        )


def _tell(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201  # beside the result

"""The command ``kubewright generate types``."""

import shlex
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.cli.files import FileChange, changes_of, check_new, lines_of, write
from kubewright.cli.generate.filter import chosen
from kubewright.cli.generate.source import Found, Source, read_sources
from kubewright.crd.package import module_from, package_from
from kubewright.crd.reading import versions_of
from kubewright.errors import ConfigError

__all__ = ["Options", "run"]

_SLOW = 20  # CRDs
_DEFAULT_LENGTH = 88


class Options(NamedTuple):
    """What the user wants; see ``kubewright generate types --help``."""

    sources: tuple[Source, ...]
    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    output: Path | None = None
    force: bool = False
    dry_run: bool = False
    line_length: int | None = None


def run(options: Options) -> int:
    """Write the classes; return the exit status.

    Raises:
        ConfigError: The input cannot be read, or a file is there already.
        SchemaError: A CRD is malformed.
    """
    if options.output is None and (options.force or options.dry_run):
        raise ConfigError("--force and --dry-run are about files: name one with --output")
    found = read_sources(list(options.sources))
    crds = chosen(found.crds, groups=options.groups, kinds=options.kinds)
    if len(crds) > _SLOW:
        _tell(f"writing the classes of {len(crds)} CRDs …")
    if options.output is None:
        sys.stdout.write(_module(crds, options))
        _tell(_summary(crds, found))
        return 0
    root, files = _files(crds, options.output, options)
    changes = changes_of(root, files)
    if not (options.force or options.dry_run):
        check_new(changes, hint="--force overwrites them, --dry-run shows what would be done")
    if not options.dry_run:
        write(root, changes)
    _report(changes, root, dry_run=options.dry_run)
    _tell(_summary(crds, found))
    return 0


def _files(
    crds: Mapping[str, dict[str, Any]], output: Path, options: Options
) -> tuple[Path, dict[str, str]]:
    """Return the folder and the files in it."""
    if output.suffix == ".py" and not output.is_dir():
        return output.parent, {output.name: _module(crds, options)}
    if output.suffix and not output.is_dir():
        raise ConfigError(
            f"--output {output} is neither a folder nor a Python file. Name a folder, or a file"
            " *.py"
        )
    length = options.line_length or _line_length(output)
    files = package_from(crds.values(), command=_command(options), line_length=length)
    if (output.absolute().parent / "__init__.py").exists():
        files["__init__.py"] = '"""Kinds of other projects, made from their CRDs."""\n'
        if (output / "__init__.py").exists():
            del files["__init__.py"]  # it is the user's
    return output, dict(sorted(files.items()))


def _module(crds: Mapping[str, dict[str, Any]], options: Options) -> str:
    place = options.output.parent if options.output else Path()
    length = options.line_length or _line_length(place)
    return module_from(crds.values(), command=_command(options), line_length=length)


def _line_length(folder: Path) -> int:
    """Return how long lines are in the project of *folder*: what ruff is told there."""
    here = folder.absolute()
    for one in (here, *here.parents):
        for name, path in (
            ("ruff.toml", ()),
            (".ruff.toml", ()),
            ("pyproject.toml", _IN_PYPROJECT),
        ):
            settings = _toml(one / name)
            for key in path:
                settings = settings.get(key) if isinstance(settings, dict) else None
            if isinstance(settings, dict):
                length = settings.get("line-length")
                return length if isinstance(length, int) else _DEFAULT_LENGTH
    return _DEFAULT_LENGTH


_IN_PYPROJECT = ("tool", "ruff")


def _toml(path: Path) -> Any:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None  # that of others; they will hear of it from ruff


def _command(options: Options) -> str:
    """Return the command that makes the same files again, as far as files are concerned."""
    words = ["kubewright", "generate", "types"]
    for source in options.sources:
        words += ["--from-crd", _shown(source.text)]
    for group in options.groups:
        words += ["--group", group]
    for kind in options.kinds:
        words += ["--kind", kind]
    if options.output is not None:
        words += ["--output", str(options.output)]
    return shlex.join(words)


def _shown(text: str) -> str:
    if text.startswith(("http://", "https://")):
        from kubewright.cli.generate.download import without_secrets

        return without_secrets(text)
    return text


def _report(changes: list[FileChange], root: Path, *, dry_run: bool) -> None:
    for line in lines_of(
        [one._replace(path=str(root / one.path)) for one in changes], dry_run=dry_run
    ):
        print(line)  # noqa: T201  # the result
    kept = sum(one.action == "keep" for one in changes)
    if kept:
        print(f"{kept} file{'' if kept == 1 else 's'} unchanged")  # noqa: T201  # the result


def _summary(crds: Mapping[str, dict[str, Any]], found: Found) -> str:
    versions = sum(len(versions_of(crd)) for crd in crds.values())
    text = f"{_count(len(crds), 'kind')} in {_count(versions, 'version')}"
    if left := len(found.crds) - len(crds):
        text += f"; {_count(left, 'CRD')} not chosen"
    if found.others:
        kinds = ", ".join(f"{many} {kind}" for kind, many in sorted(Counter(found.others).items()))
        text += f"; ignored: {kinds}"
    return text


def _count(many: int, what: str) -> str:
    return f"{many} {what}{'' if many == 1 else 's'}"


def _tell(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201  # beside the result

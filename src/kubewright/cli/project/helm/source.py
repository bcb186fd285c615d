"""Finds the chart that ``--helm-chart`` names: a folder, an archive, or one in a repository."""

from collections.abc import Iterator
from pathlib import Path

from kubewright.cli.project.helm.options import ChartOptions
from kubewright.cli.project.helm.program import pull
from kubewright.errors import ConfigError
from kubewright.scaffold.helm.archive import unpacked
from kubewright.scaffold.helm.chart import Chart, chart_of

__all__ = ["find_files", "get_chart"]

_MOST = 100 * 1024 * 1024


def get_chart(options: ChartOptions) -> Chart:
    """Return the chart that *options* name.

    Raises:
        ConfigError: There is none, or it cannot be used.
    """
    name = options.chart
    path = Path(name).expanduser()
    if options.repo:
        data = pull(name, repo=options.repo, version=options.version)
        return chart_of(unpacked(data, place=name), place=name)
    if path.exists():
        if options.version:
            raise ConfigError(
                f"--helm-chart-version chooses among those of a repository, and {name} is here:"
                " leave the option out"
            )
        files = find_files(path) if path.is_dir() else unpacked(_data(path), place=name)
        return chart_of(files, place=name)
    if not _is_remote(name):
        raise ConfigError(
            f"--helm-chart: there is no folder and no archive {name} here. For a chart of a"
            " repository, say which one with --helm-chart-repo"
        )
    return chart_of(unpacked(pull(name, version=options.version), place=name), place=name)


def find_files(folder: Path, *, what: str = "chart") -> dict[str, str]:
    """Return the files below *folder*, by path; bytes that are not UTF-8 are surrogates.

    Args:
        folder: The folder.
        what: What it should be, for errors.

    Raises:
        ConfigError: A file cannot be read, or they are too large.
    """
    try:
        return dict(_files(folder, what))
    except OSError as error:
        raise ConfigError(f"cannot read {error.filename or folder}: {error.strerror}") from error


def _files(folder: Path, what: str) -> Iterator[tuple[str, str]]:
    left = _MOST
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if ".git" in relative.parts or not path.is_file():
            continue
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise ConfigError(
                f"{path} is a link out of the {what}: put the file there itself, as others will not"
                " have what it leads to"
            )
        left -= path.stat().st_size
        if left < 0:
            raise ConfigError(
                f"{folder} has more than {_MOST // 1024 // 1024} MiB: is it a {what}?"
            )
        yield relative.as_posix(), path.read_bytes().decode("utf-8", "surrogateescape")


def _data(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST:
            raise ConfigError(f"{path} has more than {_MOST // 1024 // 1024} MiB: is it a chart?")
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error


def _is_remote(name: str) -> bool:
    """Tell whether *name* may be that of a chart which helm finds by itself."""
    if "://" in name:
        return True
    return "/" in name and not name.startswith((".", "/", "~")) and not name.endswith(".tgz")

"""The command ``kubewright pkgman-to-bundle``."""

from pathlib import Path

from kubewright.bundle.packagemanifests import convert_package
from kubewright.cli.bundle.folder import place_of, read_texts
from kubewright.cli.files import changes_of, check_new, lines_of, write

__all__ = ["convert"]


def convert(folder: Path, output: Path, *, force: bool = False, dry_run: bool = False) -> int:
    """Make a bundle of each version of a folder of package manifests; return the exit status.

    Raises:
        ConfigError: It is not such a folder, or files are in the way.
    """
    texts = read_texts(folder, what="folder of package manifests")
    files: dict[str, str | None] = {
        f"bundle-{one.version}/{path}": text
        for one in convert_package(place_of(folder), texts)
        for path, text in one.files.items()
    }
    changes = changes_of(output, files)
    if not force:
        check_new(changes, hint="Nothing was changed; --force overwrites them")
    if not dry_run:
        write(output, changes)
    shown = [one._replace(path=f"{place_of(output)}/{one.path}") for one in changes]
    print(*lines_of(shown, dry_run=dry_run), sep="\n")  # noqa: T201  # the result
    return 0

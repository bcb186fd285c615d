"""The command ``kubewright generate catalog``."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kubewright.bundle.catalog import (
    Addition,
    add_bundles,
    catalog_text,
    check_catalog,
    read_catalog,
)
from kubewright.bundle.finding import Level
from kubewright.bundle.reading import Bundle
from kubewright.bundle.validation import validate
from kubewright.cli.bundle.findings import report
from kubewright.cli.bundle.folder import place_of
from kubewright.cli.bundle.source import Source, read_source
from kubewright.cli.deploy.image import parse_image
from kubewright.cli.fatal import tell
from kubewright.cli.files import changes_of, lines_of, write
from kubewright.cli.project.lock import locked
from kubewright.errors import ConfigError

__all__ = ["Options", "generate_catalog"]

_FILE = "catalog.yaml"


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright generate catalog --help``."""

    bundles: tuple[str, ...]
    image: str = ""
    image_base: str = ""
    output_dir: Path = Path("catalog")
    base_image: str = "quay.io/operator-framework/opm:latest"
    by_version: bool = False
    use_http: bool = False
    stdout: bool = False
    dry_run: bool = False


def generate_catalog(options: Options) -> int:
    """Make a catalog of bundles, or add them to one; return the exit status.

    Raises:
        ConfigError: A folder or a file cannot be read, or an image is missing.
    """
    sources = [read_source(one, use_http=options.use_http) for one in options.bundles]
    failed = [one for one in sources if _has_errors(one.bundle)]
    if failed:
        return 1
    images = _images(options, sources)
    additions = [Addition(one.bundle, image) for one, image in zip(sources, images, strict=True)]
    root = options.output_dir.absolute()
    with locked(root.parent):
        return _add(options, root, additions)


def _add(options: Options, root: Path, additions: list[Addition]) -> int:
    files: dict[str, str] = {}
    for package in dict.fromkeys(one.bundle.package for one in additions):
        path = f"{package}/{_FILE}"
        own = [one for one in additions if one.bundle.package == package]
        before = read_catalog(_there(root, package))
        entries = [one.content for one in before.entries]
        files[path] = catalog_text(add_bundles(entries, own, by_version=options.by_version))
    found = list(check_catalog(read_catalog(_shown(options.output_dir, files))))
    if found:
        report(found)
        tell("the catalog would not be valid, and nothing was written")
        return 1
    if options.stdout:
        sys.stdout.write("".join(files.values()))
        return 0
    return _write(options, root, files)


def _write(options: Options, root: Path, files: dict[str, str]) -> int:
    above, name = root.parent, root.name
    wanted: dict[str, str | None] = {f"{name}/{path}": text for path, text in files.items()}
    dockerfile = f"{name}.Dockerfile"
    if not (above / dockerfile).exists():
        wanted[dockerfile] = _dockerfile(name, options.base_image)
    changes = changes_of(above, wanted)
    if not options.dry_run:
        write(above, changes)
    lines = list(lines_of(changes, dry_run=options.dry_run)) or [f"{name} is up to date"]
    print(*lines, sep="\n")  # noqa: T201  # the result
    return 0


def _has_errors(bundle: Bundle) -> bool:
    found = [one for one in validate(bundle) if one.level is Level.ERROR]
    report(found)
    return bool(found)


def _images(options: Options, sources: list[Source]) -> list[str]:
    """Return the image of each bundle: the one that it comes from, or what the options say."""
    folders = [one.bundle for one in sources if not one.image]
    named = iter([*_named_images(options, folders)])
    return [one.image or next(named) for one in sources]


def _named_images(options: Options, bundles: list[Bundle]) -> Iterator[str]:
    if not bundles:
        if options.image or options.image_base:
            raise ConfigError("--image and --image-base are for folders: images have their names")
        return
    if bool(options.image) == bool(options.image_base):
        raise ConfigError(
            "name the image of the bundle with --image, or with --image-base what the images of all"
            " bundles have before :v and the version"
        )
    if options.image and len(bundles) > 1:
        raise ConfigError("--image is for one bundle. Use --image-base for several")
    if options.image:
        yield str(parse_image(options.image))
        return
    base = parse_image(options.image_base, option="--image-base")
    if base.tag or base.digest:
        raise ConfigError(f"--image-base: {base} has a tag already. Leave that out")
    yield from (f"{base}:v{_version(one)}" for one in bundles)


def _version(bundle: Bundle) -> str:
    return str(bundle.csv.at("spec", "version")) if bundle.csv else ""


def _there(root: Path, package: str) -> dict[str, str]:
    """Return what the catalog says about a package already."""
    path = root / package / _FILE
    return {str(path): path.read_text("utf-8")} if path.is_file() else {}


def _shown(folder: Path, files: dict[str, str]) -> dict[str, str]:
    return {f"{place_of(folder)}/{path}": text for path, text in files.items()}


def _dockerfile(folder: str, image: str) -> str:
    lines: Iterable[str] = (
        f"FROM {image}",
        f"ADD {folder} /configs",
        'RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]',
        "",
        "LABEL operators.operatorframework.io.index.configs.v1=/configs",
        'ENTRYPOINT ["/bin/opm"]',
        'CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]',
    )
    return "\n".join(lines) + "\n"

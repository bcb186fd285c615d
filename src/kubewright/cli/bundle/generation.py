"""The command ``kubewright generate bundle``."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubewright._aio import Clock
from kubewright._version import VERSION
from kubewright.api.names import check_dns_label
from kubewright.bundle.annotations import Annotations
from kubewright.bundle.base import Metadata, new_base
from kubewright.bundle.collection import Collection, collect
from kubewright.bundle.document import at, read_documents, text
from kubewright.bundle.finding import Level
from kubewright.bundle.generation import Wanted, bundle_files, is_ours, metadata_files
from kubewright.bundle.images import container_images, pinned, related_images
from kubewright.bundle.kustomization import base_path
from kubewright.bundle.reading import read_bundle
from kubewright.bundle.semver import Version
from kubewright.bundle.serviceversion import CREATED, Release, same_but_created
from kubewright.bundle.validation import validate
from kubewright.cli.bundle.objects import from_folders, from_input, from_overlay
from kubewright.cli.deploy.image import Image, parse_image
from kubewright.cli.fatal import tell
from kubewright.cli.files import FileChange, changes_of, lines_of, write
from kubewright.cli.project.folder import ProjectFolder, find_project
from kubewright.cli.project.lock import locked
from kubewright.errors import ConfigError

__all__ = ["Options", "generate_bundle"]

_DOCKERFILE = "bundle.Dockerfile"
_COPIED = ("dependencies.yaml", "properties.yaml")
_PLACEHOLDER = "0.0.0"


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright generate bundle --help``."""

    version: str = ""
    package: str = ""
    channels: str = "alpha"
    default_channel: str = ""
    image: str = ""
    input_dir: str = ""
    deploy_dir: Path | None = None
    crds_dir: Path | None = None
    kustomize_dir: str = "config/manifests"
    output_dir: str = "bundle"
    replaces: str = ""
    accounts: tuple[str, ...] = ()
    manifests: bool = False
    metadata: bool = False
    overwrite: bool = True
    list_images: bool = False
    use_digests: bool = False
    use_http: bool = False
    stdout: bool = False
    quiet: bool = False
    dry_run: bool = False


def generate_bundle(options: Options, *, clock: Clock | None = None) -> int:
    """Write a bundle; return the exit status: 1 if it would not be valid.

    Raises:
        ConfigError: An option is wrong, or the objects cannot be read or built.
    """
    project = find_project()
    root = project.root if project else Path.cwd()
    with locked(root):
        return _generate(options, project, root, clock or Clock())


def _generate(options: Options, project: ProjectFolder | None, root: Path, clock: Clock) -> int:
    annotations = _annotations(options, project)
    image = parse_image(options.image) if options.image else None
    collection = collect(_objects(options, root, image))
    if options.use_digests:
        _pin(collection, use_http=options.use_http)
    base = _base(options, root, annotations.package, collection)
    release = _release(options, project, base, annotations.package, clock)
    output = _output(root, options.output_dir)
    annotations = annotations._replace(tests=bool(collection.scorecard))
    files = bundle_files(base, collection, Wanted(release, annotations))
    files = _with_old_time(root / output, files, options.output_dir)
    if options.stdout:
        manifests = (one for path, one in files.items() if path.startswith("manifests/"))
        sys.stdout.write("".join(f"---\n{one}" for one in manifests))
        return 0
    both = options.manifests == options.metadata
    wanted: dict[str, str | None] = {}
    if both or options.manifests:
        wanted |= {f"{output}/{path}": one for path, one in files.items()}
        wanted |= dict.fromkeys(_leftovers(root, output, files))
    if both or options.metadata:
        wanted |= _metadata(options, root, output, annotations)
    return _finish(options, root, output, wanted)


def _annotations(options: Options, project: ProjectFolder | None) -> Annotations:
    package = options.package or (project.project.project_name if project else "")
    if not package:
        raise ConfigError("--package: which package is it? There is no project here to ask")
    try:
        check_dns_label(package)
    except ValueError as error:
        raise ConfigError(f"--package: {error}") from None
    channels = tuple(one.strip() for one in options.channels.split(","))
    for one in (*channels, *filter(None, [options.default_channel])):
        if not one or not one.replace("-", "").replace(".", "").replace("_", "").isalnum():
            raise ConfigError(
                f"--channels: {one!r} is not the name of a channel. Write them as stable,candidate"
            )
    layout = next(iter(project.project.layout), "") if project else ""
    return Annotations(package, channels, options.default_channel, f"kubewright-v{VERSION}", layout)


def _objects(options: Options, root: Path, image: Image | None) -> list[dict[str, Any]]:
    named = [options.input_dir, str(options.deploy_dir or "")]
    if all(named) or (options.crds_dir and not options.deploy_dir):
        raise ConfigError(
            "name either --input-dir, or --deploy-dir with or without --crds-dir, or none of them"
            " for the project's own config/manifests"
        )
    if any(named) and image is not None:
        raise ConfigError(
            "--image changes the overlay of the project; files have their images already"
        )
    if options.input_dir == "-":
        return from_input()
    if options.input_dir:
        return from_folders([Path(options.input_dir)])
    if options.deploy_dir:
        return from_folders([one for one in (options.deploy_dir, options.crds_dir) if one])
    return from_overlay(root, options.kustomize_dir, image)


def _pin(collection: Collection, *, use_http: bool) -> None:
    """Name all images of *collection* by the digests that their registries have for them now."""
    from kubewright.cli.registry.reading import digests_of

    deployments = collection.deployments
    named = [one["image"] for one in related_images(deployments)]
    digests = digests_of([*container_images(deployments), *named], use_http=use_http)
    collection.deployments = [pinned(one, digests) for one in deployments]


def _base(options: Options, root: Path, package: str, collection: Collection) -> dict[str, Any]:
    if len(collection.csvs) > 1:
        names = ", ".join(text(at(one, "metadata", "name")) for one in collection.csvs)
        raise ConfigError(f"there are several ClusterServiceVersions: {names}. Leave one")
    if not collection.deployments:
        raise ConfigError(
            "there is no Deployment among the objects, so OLM would have nothing to run"
        )
    if collection.csvs:
        return collection.csvs[0]
    place = root / options.kustomize_dir / base_path(package)
    if place.is_file():
        documents = read_documents(str(place), place.read_text("utf-8"))
        if len(documents) == 1:
            return documents[0].content
        raise ConfigError(f"{place} should have one document, and has {len(documents)}")
    return new_base(package, Metadata())


def _release(
    options: Options,
    project: ProjectFolder | None,
    base: dict[str, Any],
    package: str,
    clock: Clock,
) -> Release:
    version = options.version or text(at(base, "spec", "version"))
    if not version or (not options.version and version == _PLACEHOLDER):
        raise ConfigError("--version: which version is it? Write it as --version 0.1.0")
    try:
        Version.parse(version)
    except ValueError as error:
        raise ConfigError(f"--version: {error}") from None
    created = clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    layout = next(iter(project.project.layout), "") if project else ""
    return Release(
        package,
        version,
        created,
        builder=f"kubewright-v{VERSION}",
        layout=layout,
        accounts=options.accounts,
        replaces=options.replaces,
        list_images=options.list_images or options.use_digests,
    )


def _output(root: Path, folder: str) -> str:
    place = Path(folder) if Path(folder).is_absolute() else root / folder
    try:
        found = place.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise ConfigError(
            f"--output-dir: {folder} is not in {root}, from where its image is built"
        ) from None
    if found == ".":
        raise ConfigError("--output-dir: name a folder of its own, such as bundle")
    return found


def _with_old_time(place: Path, files: dict[str, str], root: str) -> dict[str, str]:
    """Return *files* with the time that the bundle has, if nothing else about it is new."""
    path = next(one for one in files if one.endswith(".clusterserviceversion.yaml"))
    try:
        before = read_documents(root, (place / path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ConfigError):
        return files
    [after] = read_documents(root, files[path])
    if len(before) != 1 or not same_but_created(before[0].content, after.content):
        return files
    old = text(before[0].at("metadata", "annotations", CREATED))
    new = text(after.at("metadata", "annotations", CREATED))
    return {**files, path: files[path].replace(f"{CREATED}: '{new}'", f"{CREATED}: '{old}'", 1)}


def _leftovers(root: Path, output: str, files: dict[str, str]) -> list[str]:
    """Return the files that an earlier bundle had, and that are not made any more."""
    there = sorted((root / output / "manifests").glob("*.yaml"))
    paths = [f"manifests/{one.name}" for one in there]
    old = changes_of(root, dict.fromkeys(f"{output}/{one}" for one in paths if one not in files))
    return [one.path for one in old if one.before is not None and is_ours(one.before)]


def _metadata(
    options: Options, root: Path, output: str, annotations: Annotations
) -> dict[str, str | None]:
    made = metadata_files(annotations, output)
    found: dict[str, str | None] = {
        path if path == _DOCKERFILE else f"{output}/{path}": one for path, one in made.items()
    }
    if not options.overwrite:
        found = {path: one for path, one in found.items() if not (root / path).exists()}
    for name in _COPIED:
        source = root / options.kustomize_dir / name
        if source.is_file():
            found[f"{output}/metadata/{name}"] = source.read_text("utf-8")
    return found


def _finish(options: Options, root: Path, output: str, wanted: dict[str, str | None]) -> int:
    changes = changes_of(root, dict(sorted(wanted.items())))
    status = _check(options, root, output, changes)
    if status:
        return status
    if not options.dry_run:
        write(root, changes)
    if not options.quiet:
        lines = list(lines_of(changes, dry_run=options.dry_run)) or [f"{output} is up to date"]
        print(*lines, sep="\n")  # noqa: T201  # the result
    return 0


def _check(options: Options, root: Path, output: str, changes: list[FileChange]) -> int:
    """Say what would be wrong with the bundle; return 1 if something is."""
    files = {one.path.removeprefix(f"{output}/"): one.after for one in changes if one.after}
    there = (root / output / "metadata").glob("*.yaml")
    for path in (root / output / "manifests").glob("*.yaml"):
        name = f"manifests/{path.name}"
        if not any(one.path == f"{output}/{name}" for one in changes):
            files[name] = path.read_text("utf-8", "replace")
    for path in there:
        files.setdefault(f"metadata/{path.name}", path.read_text("utf-8", "replace"))
    if options.manifests != options.metadata:
        return 0  # the other half is not there yet
    found = [one for one in validate(read_bundle(output, files)) if one.level is Level.ERROR]
    for one in found:
        print(f"{one.level.value:<7}  {one}", file=sys.stderr)  # noqa: T201  # beside the result
    if found:
        tell("the bundle would not be valid, and nothing was written")
    return int(bool(found))

"""`build`: what ``kustomize build`` does, for a folder that is read through a function."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kubewright.scaffold.kustomize import generators, labels, ordering, origin
from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import (
    DEFAULT,
    Configuration,
    read_configuration,
)
from kubewright.scaffold.kustomize.crds import read_definitions
from kubewright.scaffold.kustomize.defaults import METADATA_LABELS
from kubewright.scaffold.kustomize.fields import Image
from kubewright.scaffold.kustomize.hashing import hash_of
from kubewright.scaffold.kustomize.images import split_image
from kubewright.scaffold.kustomize.kustomization import COMPONENT, Kustomization
from kubewright.scaffold.kustomize.origin import Origin
from kubewright.scaffold.kustomize.problem import ProblemError, telling
from kubewright.scaffold.kustomize.references import fix_references
from kubewright.scaffold.kustomize.resource import Resource, resources
from kubewright.scaffold.kustomize.source import Folder, Reader
from kubewright.scaffold.kustomize.transformation import Transformation
from kubewright.scaffold.kustomize.variables import Variables

__all__ = ["build"]

_LOCAL = "config.kubernetes.io/local-config"


def build(
    folder: str, read: Reader, *, images: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return the objects that the kustomization in *folder* describes.

    They are those that ``kubectl kustomize`` prints, in the same order.

    Args:
        folder: Its path, relative to some root, with slashes.
        read: Returns the text of the file at such a path, or ``None`` if there is no such file.
            Line ends stay what they are. A reader that decodes with ``surrogateescape`` lets
            ConfigMaps and Secrets be made of files that are no text.
        images: What takes the place of an image, by the name of that: ``controller`` may become
            ``registry:5000/shop/operator:1.2``, as ``kustomize edit set image`` would have it.
            It wins over what the files say about that name.

    Raises:
        ConfigError: A file is missing, malformed or needs the program kustomize; the message names
            the file, the line and the field, and says what to do.
    """
    start = Folder(".", read)
    with telling(folder):
        there = Folder(start.place(folder), read)
    wanted = {name: _image(name, reference) for name, reference in (images or {}).items()}
    return _Build(wanted).build(there)


def _image(name: str, reference: str) -> Image:
    new_name, tag, digest = split_image(reference)
    return Image(name=name, new_name=new_name, new_tag=tag, digest=digest)


@dataclass(slots=True)
class _Gathered:
    """What was gathered from a kustomization and all that it is made of."""

    resources: Collection = field(default_factory=Collection)
    configuration: Configuration = field(default_factory=Configuration)
    variables: Variables = field(default_factory=Variables)

    def merge(self, other: "_Gathered") -> None:
        """Add what another one has."""
        self.resources.add(other.resources)
        self.configuration = self.configuration.merged(other.configuration)
        self.variables.merge(other.variables)


class _Build:
    """One build: from the folder at the top down, and up again."""

    def __init__(self, images: Mapping[str, Image]) -> None:
        self._images = images
        self._notes: list[str] = []

    def build(self, folder: Folder) -> list[dict[str, Any]]:
        """Return the finished objects."""
        with telling(folder.path):
            said, file = _read_kustomization(folder)
        self._notes = said.build_metadata
        gathered = _Gathered()
        step = _Step(folder, said, file, Origin() if self._notes else None)
        self._gather(step, gathered)
        with said.telling():
            self._finish(gathered, said)
        return [_finished(one) for one in gathered.resources]

    def _gather(self, step: "_Step", into: _Gathered) -> None:
        """Add what a kustomization says to *into*, and transform all that is there."""
        self._add_resources(step, into)
        self._configure(step, into)
        self._generate(step, into)
        self._add_components(step, into)
        transformation = Transformation(
            step.said, step.folder, configuration=into.configuration, images=self._images
        )
        for name in transformation.run(into.resources):
            if step.origin is not None:
                origin.note_transformation(into.resources, step.origin.by(name, step.file))
        for at, variable in enumerate(step.said.vars):
            with step.said.telling("vars", at):
                into.variables.declare([variable], into.resources)

    def _add_resources(self, step: "_Step", into: _Gathered) -> None:
        for where, path in step.said.all_resources:
            with step.said.telling(*where):
                content = step.folder.find(path)
                if content is None:
                    self._add_folder(step, path, into)
                else:
                    into.resources.add(step.read_resources(content, path))

    def _add_folder(self, step: "_Step", path: str, into: _Gathered) -> None:
        below = step.below(path, is_component=False)
        gathered = _Gathered()
        self._gather(below, gathered)
        into.merge(gathered)

    def _add_components(self, step: "_Step", into: _Gathered) -> None:
        for at, path in enumerate(step.said.components):
            with step.said.telling("components", at):
                self._gather(step.below(path, is_component=True), into)

    def _configure(self, step: "_Step", into: _Gathered) -> None:
        own = DEFAULT
        for at, path in enumerate(step.said.configurations):
            with step.said.telling("configurations", at):
                content = step.folder.load(path)
                own = own.merged(read_configuration(content, place=step.folder.place(path)))
        with step.said.telling("configurations"):
            into.configuration = into.configuration.merged(own)
        for at, path in enumerate(step.said.crds):
            with step.said.telling("crds", at):
                definitions = read_definitions(step.folder.load(path))
                into.configuration = into.configuration.merged(definitions)

    def _generate(self, step: "_Step", into: _Gathered) -> None:
        said = step.said
        for name, kind, wanted in (
            ("configMapGenerator", "ConfigMap", said.config_map_generator),
            ("secretGenerator", "Secret", said.secret_generator),
        ):
            for at, one in enumerate(wanted):
                with said.telling(name, at):
                    made = generators.generated(
                        kind, one, said.generator_options, read=step.folder.load
                    )
                    made.place = said.place
                    if step.origin is not None and made.behavior != "merge":
                        plugin = f"{kind}Generator"
                        origin.note_origin(made, step.origin.by(plugin, step.file))
                    generators.absorb(into.resources, made)

    def _finish(self, gathered: _Gathered, said: Kustomization) -> None:
        """Do what waits until all names are known."""
        found = gathered.resources
        for resource in found:
            if resource.needs_hash:
                ending = hash_of(resource.root)
                resource.remember()
                resource.rename(f"{resource.name}-{ending}")
        fix_references(found, gathered.configuration.name_reference)
        gathered.variables.resolve(found, gathered.configuration.var_reference)
        found.keep(lambda one: one.annotations.get(_LOCAL, "false") == "false")
        with said.telling("sortOptions"):
            ordering.sort(found, said.sort_options)
        if "managedByLabel" in self._notes:
            labels.add_texts(found, {origin.MANAGED_BY: origin.MANAGED_BY_VALUE}, [METADATA_LABELS])
        origin.forget(found, self._notes)


@dataclass(frozen=True, slots=True)
class _Step:
    """One kustomization of a build.

    Attributes:
        folder: Where it is.
        said: What it says.
        file: The name of its file.
        origin: Where it is, if that is noted.
    """

    folder: Folder
    said: Kustomization
    file: str
    origin: Origin | None

    def below(self, path: str, *, is_component: bool) -> "_Step":
        """Return the step for a folder that this one is made of."""
        folder = self.folder.folder(path)
        said, file = _read_kustomization(folder)
        if is_component and said.kind != COMPONENT:
            raise ProblemError(f"{said.place} should have `kind: {COMPONENT}` to be used as one")
        if not is_component and said.kind == COMPONENT:
            raise ProblemError(f"{said.place} is a component; name its folder under `components:`")
        return _Step(folder, said, file, self.origin and self.origin.below(path))

    def read_resources(self, content: str, path: str) -> list[Resource]:
        """Return the objects of a file."""
        place = self.folder.place(path)
        with telling(place):
            found = resources(content, place=place)
        if self.origin is not None:
            for resource in found:
                origin.note_origin(resource, self.origin.below(path))
        return found


def _read_kustomization(folder: Folder) -> tuple[Kustomization, str]:
    found = folder.find_kustomization()
    if found is None:
        raise ProblemError(f"there is neither a file {folder.path} nor a kustomization.yaml in it")
    name, text = found
    return Kustomization.read(text, place=folder.place(name)), name


def _finished(resource: Resource) -> dict[str, Any]:
    with telling(f"{resource.place}: {resource.identity}"):
        return resource.finished()

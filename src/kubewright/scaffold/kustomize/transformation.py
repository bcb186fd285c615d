"""What a kustomization does to its resources, in kustomize's order."""

from collections.abc import Iterator, Mapping

from kubewright.scaffold.kustomize import (
    images,
    labels,
    names,
    patches,
    replacements,
)
from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import Configuration
from kubewright.scaffold.kustomize.conversion import read_as
from kubewright.scaffold.kustomize.fields import Image, Replacement, ReplacementField
from kubewright.scaffold.kustomize.kustomization import Kustomization
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.source import Folder
from kubewright.scaffold.kustomize.syntax import values

__all__ = ["Transformation"]


class Transformation:
    """The transformations of one kustomization.

    Args:
        kustomization: What the file says.
        folder: Where its patches and other files are.
        configuration: The fields that are changed.
        images: Images that are set to something else than the file says.
    """

    def __init__(
        self,
        kustomization: Kustomization,
        folder: Folder,
        *,
        configuration: Configuration,
        images: Mapping[str, Image],
    ) -> None:
        self._said = kustomization
        self._folder = folder
        self._configuration = configuration
        self._images = images

    def run(self, resources: Collection) -> Iterator[str]:
        """Do all of them, and yield the name of each.

        Raises:
            ConfigError: One does not fit; the message names file, line and field.
        """
        for step in (
            self._patch_strategic,
            self._patch,
            self._rename,
            self._label,
            self._annotate,
            self._patch_json,
            self._scale,
            self._set_images,
            self._replace,
        ):
            for name in step(resources):
                resources.drop_deleted()
                yield name

    def _patch_strategic(self, resources: Collection) -> Iterator[str]:
        for at, content in enumerate(self._said.patches_strategic_merge):
            with self._said.telling("patchesStrategicMerge", at):
                patches.patch_strategic(resources, content, read=self._folder.load)
        if self._said.patches_strategic_merge:
            yield "PatchStrategicMergeTransformer"

    def _patch(self, resources: Collection) -> Iterator[str]:
        for at, patch in enumerate(self._said.patches):
            with self._said.telling("patches", at):
                patches.patch(resources, patch, read=self._folder.load)
            yield "PatchTransformer"

    def _rename(self, resources: Collection) -> Iterator[str]:
        said, fields = self._said, self._configuration
        if said.namespace:
            with said.telling("namespace"):
                names.set_namespace(resources, said.namespace, fields.namespace)
            yield "NamespaceTransformer"
        if said.name_prefix:
            with said.telling("namePrefix"):
                names.prefix(resources, said.name_prefix, fields.name_prefix)
            yield "PrefixTransformer"
        if said.name_suffix:
            with said.telling("nameSuffix"):
                names.suffix(resources, said.name_suffix, fields.name_suffix)
            yield "SuffixTransformer"

    def _label(self, resources: Collection) -> Iterator[str]:
        said, fields = self._said, self._configuration
        for at, one in enumerate(said.labels):
            with said.telling("labels", at):
                labels.add_labels(resources, one, fields)
            yield "LabelTransformer"
        if said.labels or said.common_labels:
            with said.telling("commonLabels"):
                labels.add_texts(resources, said.common_labels, fields.common_labels)
            yield "LabelTransformer"

    def _annotate(self, resources: Collection) -> Iterator[str]:
        if said := self._said.common_annotations:
            with self._said.telling("commonAnnotations"):
                labels.add_texts(resources, said, self._configuration.common_annotations)
            yield "AnnotationsTransformer"

    def _patch_json(self, resources: Collection) -> Iterator[str]:
        for at, patch in enumerate(self._said.patches_json6902):
            with self._said.telling("patchesJson6902", at):
                patches.patch_json(resources, patch, read=self._folder.load)
            yield "PatchJson6902Transformer"

    def _scale(self, resources: Collection) -> Iterator[str]:
        for at, replicas in enumerate(self._said.replicas):
            with self._said.telling("replicas", at):
                images.set_replicas(resources, replicas, self._configuration.replicas)
            yield "ReplicaCountTransformer"

    def _set_images(self, resources: Collection) -> Iterator[str]:
        said = self._said
        fields = (("images", said.images), ("imageTags", said.image_tags))
        all_of = [(name, at, one) for name, list_ in fields for at, one in enumerate(list_)]
        for name, at, one in all_of:
            with said.telling(name, at):
                image = self._images.get(one.name, one)
                images.set_image(resources, image, self._configuration.images)
            yield "ImageTagTransformer"
        if not self._folder.visited:
            for name in self._images.keys() - {one.name for _, _, one in all_of}:
                images.set_image(resources, self._images[name], self._configuration.images)

    def _replace(self, resources: Collection) -> Iterator[str]:
        for at, entry in enumerate(self._said.replacements):
            with self._said.telling("replacements", at):
                for replacement in self._replacements(entry):
                    replacements.replace(resources, replacement)
        if self._said.replacements:
            yield "ReplacementTransformer"

    def _replacements(self, entry: ReplacementField) -> list[Replacement]:
        """Return the replacements of an entry: those of its file, or the one that it is."""
        if not entry.path:
            return [Replacement(source=entry.source, targets=entry.targets)]
        if entry.source is not None or entry.targets:
            raise ProblemError("there are a path and a replacement; keep one of them")
        text, place = self._folder.load(entry.path), self._folder.place(entry.path)
        if isinstance(values(text)[0], list):
            return read_as(text, list[Replacement], place=place)
        return [read_as(text, Replacement, place=place)]

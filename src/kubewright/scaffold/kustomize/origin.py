"""`Origin`: where an object comes from, as ``buildMetadata`` notes it in annotations."""

import posixpath
from dataclasses import dataclass, replace

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.resource import Resource

__all__ = [
    "MANAGED_BY",
    "MANAGED_BY_VALUE",
    "Origin",
    "forget",
    "note_origin",
    "note_transformation",
]

_ORIGIN = "config.kubernetes.io/origin"
_TRANSFORMATIONS = "alpha.config.kubernetes.io/transformations"
MANAGED_BY: str = "app.kubernetes.io/managed-by"
MANAGED_BY_VALUE: str = "kustomize-(devel)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A file, or what a file configures.

    Attributes:
        path: The folder or the file, seen from where the build began.
        configured_by: The generator or transformer that made the object.
    """

    path: str = ""
    configured_by: str = ""

    def below(self, path: str) -> "Origin":
        """Return the origin of what *path* names here."""
        return replace(self, path=posixpath.normpath(posixpath.join(self.path, path)))

    def by(self, plugin: str, file: str) -> "Origin":
        """Return the origin of what *plugin* makes, as *file* here says."""
        return Origin(path=self.below(file).path, configured_by=plugin)

    def __str__(self) -> str:
        if not self.configured_by:
            return f"path: {self.path}\n"
        return (
            f"configuredIn: {self.path}\n"
            f"configuredBy:\n  apiVersion: builtin\n  kind: {self.configured_by}\n"
        )


def note_origin(resource: Resource, origin: Origin) -> None:
    """Note where *resource* comes from."""
    _annotate(resource, _ORIGIN, str(origin))


def note_transformation(resources: Collection, origin: Origin) -> None:
    """Note what has changed all *resources*, or made those that come from no file."""
    for resource in resources:
        if _ORIGIN not in resource.annotations:
            note_origin(resource, origin)
            continue
        first, *rest = str(origin).splitlines()
        entry = "".join(f"{line}\n" for line in (f"- {first}", *(f"  {line}" for line in rest)))
        _annotate(
            resource, _TRANSFORMATIONS, resource.annotations.get(_TRANSFORMATIONS, "") + entry
        )


def forget(resources: Collection, options: list[str]) -> None:
    """Remove the notes that *options* do not ask for."""
    names = {_ORIGIN: "originAnnotations", _TRANSFORMATIONS: "transformerAnnotations"}
    unwanted = {name for name, option in names.items() if option not in options}
    for resource in resources:
        kept = {name: value for name, value in resource.annotations.items() if name not in unwanted}
        resource.set_texts("annotations", kept)


def _annotate(resource: Resource, name: str, value: str) -> None:
    resource.set_texts("annotations", resource.annotations | {name: value})

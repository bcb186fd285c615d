"""`Kustomization`: what a file kustomization.yaml says, as a value."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize.conversion import Lines, converted, place_of
from kubewright.scaffold.kustomize.fields import KUSTOMIZATION, Fields
from kubewright.scaffold.kustomize.problem import ProblemError, telling
from kubewright.scaffold.kustomize.syntax import values

__all__ = ["COMPONENT", "Kustomization"]

COMPONENT: str = "Component"
_VERSIONS = {
    KUSTOMIZATION: "kustomize.config.k8s.io/v1beta1",
    COMPONENT: "kustomize.config.k8s.io/v1alpha1",
}
_PROGRAMS = {
    "openapi": "schemas of one's own",
    "helmGlobals": "Helm charts",
    "helmCharts": "Helm charts",
    "helmChartInflationGenerator": "Helm charts",
    "generators": "generators of one's own",
    "transformers": "transformers of one's own",
    "validators": "validators of one's own",
}
"""What only the program kustomize can do, since it loads or runs something else."""
_BUILD_METADATA = ("managedByLabel", "originAnnotations", "transformerAnnotations")


class Kustomization(Fields):
    """What the file says.

    Attributes:
        place: The path of the file.
        lines: The line of each field, by its path.
    """

    place: str = ""
    lines: Lines = {}

    @classmethod
    def read(cls, text: str, *, place: str) -> "Kustomization":
        """Return what *text* says.

        Raises:
            ConfigError: It is not such a file; the message names line and field.
        """
        with telling(place):
            found, lines = values(text)
        fields = converted(found, Fields, place=place, lines=lines)
        known = {name: getattr(fields, name) for name in Fields.__struct_fields__}
        kustomization = cls(**known, place=place, lines=lines)
        kustomization._check(found or {})
        return kustomization

    @contextmanager
    def telling(self, *path: str | int) -> Iterator[None]:
        """Turn problems into errors that name the file, the line and the field."""
        with telling(place_of(path, place=self.place, lines=self.lines)):
            yield

    @property
    def all_resources(self) -> list[tuple[tuple[str, int], str]]:
        """The paths of resources, each with the field that names it."""
        both = (("resources", self.resources), ("bases", self.bases))
        return [((field, at), path) for field, paths in both for at, path in enumerate(paths)]

    def _check(self, found: dict[str, Any]) -> None:
        given = {name: value for name, value in found.items() if value is not None}
        if not given.keys() - {"apiVersion", "kind"}:
            raise ConfigError(
                f"{self.place} is empty: it should name at least one file under `resources:`"
            )
        with self.telling("kind"):
            if (version := _VERSIONS.get(self.kind)) is None:
                raise ProblemError(f"{self.kind!r} should be {KUSTOMIZATION} or {COMPONENT}")
        with self.telling("apiVersion"):
            if self.api_version not in ("", version):
                raise ProblemError(f"{self.api_version!r} should be {version}")
        for name, what in _PROGRAMS.items():
            with self.telling(name):
                if given.get(name):
                    raise ProblemError(
                        f"{what} need the program kustomize: run `kustomize build`, and put its"
                        " output where this file is"
                    )
        for at, option in enumerate(self.build_metadata):
            with self.telling("buildMetadata", at):
                if option not in _BUILD_METADATA:
                    raise ProblemError(f"{option!r} is none of {', '.join(_BUILD_METADATA)}")

"""The ConfigMaps and Secrets that a pod names: which they are, and what is in them."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from msgspec import Struct

from kubewright.embedded.node.runtime import ContainerError
from kubewright.kinds.core.v1 import ConfigMap, Container, Pod, Secret, Volume

__all__ = ["Reference", "References", "environment_references", "volume_references"]


class Reference(NamedTuple):
    """A ConfigMap or Secret that a pod names, in its own namespace."""

    kind: Literal["ConfigMap", "Secret"]
    name: str


class References(Struct, frozen=True):
    """The ConfigMaps and Secrets that were found; ``None`` for missing ones."""

    config_maps: Mapping[str, ConfigMap | None] = {}
    secrets: Mapping[str, Secret | None] = {}

    def config_map(self, name: str, *, optional: bool = False) -> Mapping[str, str]:
        """Return the texts of a ConfigMap.

        Raises:
            ContainerError: It is missing, and not optional.
        """
        found = self.config_maps.get(name)
        if found is None:
            _require(f'configmap "{name}" not found', optional)
            return {}
        return found.data

    def config_map_files(self, name: str, *, optional: bool = False) -> Mapping[str, bytes]:
        """Return the texts and bytes of a ConfigMap; see `config_map`."""
        found = self.config_maps.get(name)
        texts = self.config_map(name, optional=optional)
        files = {key: value.encode() for key, value in texts.items()}
        return files | (found.binary_data if found else {})

    def secret(self, name: str, *, optional: bool = False) -> Mapping[str, bytes]:
        """Return the bytes of a Secret.

        Raises:
            ContainerError: It is missing, and not optional.
        """
        found = self.secrets.get(name)
        if found is None:
            _require(f'secret "{name}" not found', optional)
            return {}
        return found.data

    def secret_text(self, name: str, *, optional: bool = False) -> Mapping[str, str]:
        """Return the bytes of a Secret as texts; see `secret`."""
        found = self.secret(name, optional=optional)
        return {key: value.decode("utf-8", "replace") for key, value in found.items()}


def _require(problem: str, optional: bool) -> None:
    if not optional:
        raise ContainerError("CreateContainerConfigError", problem)


def environment_references(container: Container) -> Iterator[Reference]:
    """Yield the sources of the environment of a container."""
    for source in container.env_from:
        if source.config_map_ref is not None and source.config_map_ref.name:
            yield Reference("ConfigMap", source.config_map_ref.name)
        if source.secret_ref is not None and source.secret_ref.name:
            yield Reference("Secret", source.secret_ref.name)
    for variable in container.env:
        value = variable.value_from
        if value is None:
            continue
        if value.config_map_key_ref is not None and value.config_map_key_ref.name:
            yield Reference("ConfigMap", value.config_map_key_ref.name)
        if value.secret_key_ref is not None and value.secret_key_ref.name:
            yield Reference("Secret", value.secret_key_ref.name)


def volume_references(pod: Pod) -> Iterator[Reference]:
    """Yield the sources of the volumes of a pod."""
    for volume in pod.spec.volumes:
        yield from _references(volume)


def _references(volume: Volume) -> Iterator[Reference]:
    if volume.config_map is not None and volume.config_map.name:
        yield Reference("ConfigMap", volume.config_map.name)
    if volume.secret is not None and volume.secret.secret_name:
        yield Reference("Secret", volume.secret.secret_name)
    for source in volume.projected.sources if volume.projected else ():
        if source.config_map is not None and source.config_map.name:
            yield Reference("ConfigMap", source.config_map.name)
        if source.secret is not None and source.secret.name:
            yield Reference("Secret", source.secret.name)

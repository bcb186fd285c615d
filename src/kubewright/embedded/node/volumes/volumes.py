"""The content of the volumes of a pod: pure, from the pod and its references."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence

from kubewright.embedded.node.runtime import ContainerError
from kubewright.embedded.node.volumes.downward import HostFacts, field_value, resource_value
from kubewright.embedded.node.volumes.material import File, Files
from kubewright.embedded.node.volumes.references import References
from kubewright.kinds.core.v1 import (
    Container,
    DownwardAPIVolumeFile,
    KeyToPath,
    Pod,
    Volume,
    VolumeProjection,
)

__all__ = ["MountError", "token_sources", "volumes_of"]

MODE: int = 0o644

_MISSING_IN_CONFIG_MAP = "configmap references non-existent config key"
_MISSING_IN_SECRET = "references non-existent secret key"  # noqa: S105  # no secret itself


class MountError(Exception):
    """A volume cannot be filled; the text is that of the event."""

    def __init__(self, volume: str, problem: str) -> None:
        self.volume: str = volume
        self.problem: str = problem
        super().__init__(volume, problem)

    def __str__(self) -> str:
        return f'MountVolume.SetUp failed for volume "{self.volume}" : {self.problem}'


def volumes_of(
    pod: Pod,
    facts: HostFacts,
    references: References,
    *,
    tokens: Mapping[str, str] | None = None,
    claimed: Mapping[str, Files] | None = None,
) -> dict[str, Files]:
    """Return the content of each volume of *pod*.

    Args:
        pod: The pod.
        facts: What its node knows of it.
        references: The ConfigMaps and Secrets that it names.
        tokens: The tokens of its service account, by the path that they are wanted at.
        claimed: What is behind its claims, by the names of the volumes.

    Raises:
        MountError: The source of a volume is missing, or its type is not supported.
    """
    result: dict[str, Files] = dict(claimed or {})
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            continue
        try:
            result[volume.name] = _files(volume, pod, facts, references, tokens or {})
        except (ContainerError, ValueError) as error:
            raise MountError(volume.name, str(error)) from None
    return result


def token_sources(pod: Pod) -> Iterable[VolumeProjection]:
    """Return the projections of *pod* that want a token of its service account."""
    for volume in pod.spec.volumes:
        for source in volume.projected.sources if volume.projected else ():
            if source.service_account_token is not None:
                yield source


def _files(
    volume: Volume, pod: Pod, facts: HostFacts, references: References, tokens: Mapping[str, str]
) -> Files:
    if volume.config_map is not None:
        mapped = volume.config_map
        found = references.config_map_files(mapped.name or "", optional=bool(mapped.optional))
        return Files(
            _chosen(
                found,
                mapped.items,
                mapped.default_mode,
                _MISSING_IN_CONFIG_MAP,
                bool(mapped.optional),
            )
        )
    if volume.secret is not None:
        secret = volume.secret
        data = references.secret(secret.secret_name or "", optional=bool(secret.optional))
        return Files(
            _chosen(
                data, secret.items, secret.default_mode, _MISSING_IN_SECRET, bool(secret.optional)
            )
        )
    if volume.downward_api is not None:
        mode = volume.downward_api.default_mode
        return Files(_downward(volume.downward_api.items, mode, pod, facts))
    if volume.projected is not None:
        content: dict[str, File] = {}
        for source in volume.projected.sources:
            mode = volume.projected.default_mode
            content |= _projection(source, mode, pod, facts, references, tokens)
        return Files(content)
    return _folder(volume)


def _folder(volume: Volume) -> Files:
    if volume.host_path is not None:
        create = volume.host_path.type == "DirectoryOrCreate"
        return Files(link=volume.host_path.path, create=create)
    if volume.ephemeral is not None or volume.empty_dir is not None:
        return Files()
    raise ValueError("this kind of volume is not supported by the embedded node")


def _projection(  # all that a volume can be made from
    source: VolumeProjection,
    mode: int | None,
    pod: Pod,
    facts: HostFacts,
    references: References,
    tokens: Mapping[str, str],
) -> dict[str, File]:
    if source.config_map is not None:
        mapped, optional = source.config_map, bool(source.config_map.optional)
        found = references.config_map_files(mapped.name or "", optional=optional)
        return _chosen(found, mapped.items, mode, _MISSING_IN_CONFIG_MAP, optional)
    if source.secret is not None:
        secret, optional = source.secret, bool(source.secret.optional)
        data = references.secret(secret.name or "", optional=optional)
        return _chosen(data, secret.items, mode, _MISSING_IN_SECRET, optional)
    if source.downward_api is not None:
        return _downward(source.downward_api.items, mode, pod, facts)
    if source.service_account_token is not None:
        path = _safe(source.service_account_token.path)
        return {path: File(tokens.get(path, "").encode(), 0o600)}
    return {}


def _chosen(
    data: Mapping[str, bytes],
    items: Sequence[KeyToPath],
    mode: int | None,
    problem: str,
    optional: bool,
) -> dict[str, File]:
    default = MODE if mode is None else mode
    if not items:
        return {_safe(key): File(value, default) for key, value in data.items()}
    result: dict[str, File] = {}
    for item in items:
        if item.key in data:
            item_mode = default if item.mode is None else item.mode
            result[_safe(item.path)] = File(data[item.key], item_mode)
        elif not optional:
            raise ValueError(f"{problem}: {item.key}")
    return result


def _downward(
    items: Sequence[DownwardAPIVolumeFile], mode: int | None, pod: Pod, facts: HostFacts
) -> dict[str, File]:
    default = MODE if mode is None else mode
    result: dict[str, File] = {}
    for item in items:
        text = ""
        if item.field_ref is not None:
            text = field_value(item.field_ref.field_path, pod, facts)
        elif item.resource_field_ref is not None:
            anybody = Container(name="")
            text = resource_value(item.resource_field_ref, anybody, pod, facts)
        item_mode = default if item.mode is None else item.mode
        result[_safe(item.path)] = File(text.encode(), item_mode)
    return result


def _safe(path: str) -> str:
    """Return *path*, which must stay inside of its volume.

    Raises:
        ValueError: It does not.
    """
    clean = posixpath.normpath(path)
    if posixpath.isabs(path) or clean.split("/")[0] == ".." or clean in {".", "..data"}:
        raise ValueError(f"the path {path!r} leads out of the volume")
    return clean

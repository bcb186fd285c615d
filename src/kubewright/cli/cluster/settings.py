"""What a cluster is like, kept in its data folder: a restart finds the same cluster again."""

from pathlib import Path

import msgspec

from kubewright.errors import ConfigError

__all__ = ["Settings", "read_settings", "write_settings"]

FILE: str = "cluster.json"


class Settings(msgspec.Struct, frozen=True, rename="camel"):
    """What was asked for when the cluster was last started.

    Attributes:
        nodes: How many nodes it has; pods are bound to them by name.
        simulate: Whether containers only pretend to run. A restart that forgot it would run the
            commands of all pods that are stored.
    """

    nodes: int = 1
    simulate: bool = False


def read_settings(folder: Path) -> Settings | None:
    """Return what the cluster in *folder* was like; ``None`` if there was none.

    Raises:
        ConfigError: The file cannot be read; nobody knows then whether commands may run.
    """
    path = folder / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Settings)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}.") from error
    except msgspec.MsgspecError as error:
        raise ConfigError(
            f"cannot read {path}: {error}. Remove it to start with the flags that you give."
        ) from error


def write_settings(folder: Path, settings: Settings) -> None:
    """Keep *settings* in *folder*; whole or not at all, and for us only, as all that is there."""
    from kubewright._pki.files import write_private  # noqa: PLC0415  # only a start needs it

    write_private(folder / FILE, msgspec.json.encode(settings))

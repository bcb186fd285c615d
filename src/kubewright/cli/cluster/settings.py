"""The settings of a cluster, kept in its data folder, so that a restart uses them again."""

from pathlib import Path

import msgspec

from kubewright.errors import ConfigError

__all__ = ["Settings", "read_settings", "write_settings"]

FILE: str = "cluster.json"


class Settings(msgspec.Struct, frozen=True, rename="camel"):
    """The options with which the cluster was last started.

    Attributes:
        nodes: How many nodes it has; pods are bound to them by name.
        simulate: Whether containers only pretend to run. A restart that forgot it would run the
            commands of all pods that are stored.
    """

    nodes: int = 1
    simulate: bool = False


def read_settings(folder: Path) -> Settings | None:
    """Return the settings of the cluster in *folder*; ``None`` if there are none.

    Raises:
        ConfigError: The file cannot be read, so that we do not know whether commands may run.
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
    """Write *settings* to *folder*, in one step, readable by this user only."""
    from kubewright._pki.files import write_private

    write_private(folder / FILE, msgspec.json.encode(settings))

"""The content of a volume as a value; a runtime with files writes it to disk."""

from collections.abc import Mapping

from msgspec import Struct

__all__ = ["File", "Files"]


class File(Struct, frozen=True):
    """One file.

    Attributes:
        data: Its content.
        mode: Its permissions.
    """

    data: bytes
    mode: int = 0o644


class Files(Struct, frozen=True):
    """The content of one volume.

    Attributes:
        content: Its files by path, which the node keeps up to date; ``None`` for a folder that
            belongs to the pod, empty at first.
        link: A path of this machine that it is a link to, instead.
        kept: The name of a folder that outlives the pod: that of a provisioned volume.
        create: Whether the linked folder is created if it is missing.
    """

    content: Mapping[str, File] | None = None
    link: str = ""
    kept: str = ""
    create: bool = False

"""What is in a volume, as a value; who has a disk writes it there."""

from collections.abc import Mapping

from msgspec import Struct

__all__ = ["File", "Files"]


class File(Struct, frozen=True):
    """One file.

    Attributes:
        data: What is in it.
        mode: Who may do what with it.
    """

    data: bytes
    mode: int = 0o644


class Files(Struct, frozen=True):
    """What is in one volume.

    Attributes:
        content: Its files by path, kept as they are here; ``None`` for a folder that belongs to the
            pod, empty at first.
        link: A path of this machine that it stands for, instead.
        kept: A name under which the folder outlives the pod, as a claim does.
        create: Whether the linked folder is made if it is not there.
    """

    content: Mapping[str, File] | None = None
    link: str = ""
    kept: str = ""
    create: bool = False

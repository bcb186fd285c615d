"""The size of a terminal, as clients send it."""

from msgspec import Struct

from kubewright import _json
from kubewright.embedded.node.access import Command
from kubewright.errors import DecodeError


class TerminalSize(Struct, rename="pascal"):
    """How many characters fit in a row, and how many rows there are."""

    width: int
    height: int


def resize(command: Command, data: bytes) -> None:
    """Set the terminal of *command* to the size in *data*; ignore what is not a size."""
    for line in data.splitlines():  # several may have come together
        try:
            size = _json.decode(line, TerminalSize)
        except DecodeError:
            continue
        if size.width > 0 and size.height > 0:
            command.resize(size.width, size.height)

"""Logging: fields on top of the standard `logging`, so that users keep their tools.

The message is a constant in lower case; what varies is a field. `bind` gives fields to every
line of a block, those of other libraries included. Nothing is printed or configured by itself:
that is the program's choice, and `configure` makes it for the command line.
"""

from kubewright.log.binding import bind, bound, rebind
from kubewright.log.fields import FIELDS
from kubewright.log.logger import Logger, get_logger
from kubewright.log.setup import configure

__all__ = ["FIELDS", "Logger", "bind", "bound", "configure", "get_logger", "rebind"]

"""Logging: fields on top of the standard `logging`, so that users keep their tools.

The message is a constant in lower case; what varies is a field. `bind` adds fields to every
line of a block, including lines of other libraries. Nothing is printed or configured by default:
that is up to the program, and `configure` does it for the command line.
"""

from kubewright.log.binding import bind, bound, rebind
from kubewright.log.fields import FIELDS
from kubewright.log.logger import Logger, get_logger
from kubewright.log.setup import configure

__all__ = ["FIELDS", "Logger", "bind", "bound", "configure", "get_logger", "rebind"]

"""The differences that are right: a newer Kubernetes says it so. Nothing else is forgiven.

Each is a function from an answer to the answer without the difference; it is applied to both.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Known:
    """The differences that are known between two servers."""

    changes: tuple[Change, ...]

    def applied(self, answer: Any) -> Any:
        """Return *answer* without what is known to differ."""
        for change in self.changes:
            answer = change(answer)
        return answer


BUILTIN = Known(())
CUSTOM = Known(())

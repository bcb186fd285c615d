"""A manager runs everything that an operator is made of, and stops it again in good order.

What it runs, it knows only as `kubewright.runnable.Runnable`. Of many replicas with the same
`LeaderElection` one runs the last stage; the others are warm, and take over when it goes.
"""

from typing import TYPE_CHECKING, Any

from kubewright.manager.elected import Elected
from kubewright.manager.manager import Manager, RunnableCluster

if TYPE_CHECKING:
    from kubewright.manager.leaderelection import LeaderElection, LeaderElector

__all__ = ["Elected", "LeaderElection", "LeaderElector", "Manager", "RunnableCluster"]

# Loaded when first used, since many operators run alone. Hidden from type checkers, which know the
# names from above.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in {"LeaderElection", "LeaderElector"}:
            raise AttributeError(f"module 'kubewright.manager' has no attribute {name!r}")
        from kubewright.manager import leaderelection  # noqa: PLC0415  # see above

        found = globals()[name] = getattr(leaderelection, name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

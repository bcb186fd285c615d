"""A manager runs everything that an operator is made of, and stops it again in good order.

What it runs, it knows only as `kubewright.runnable.Runnable`. Of many replicas with the same
`LeaderElection` one runs the last stage; the others are warm, and take over when it goes.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names
from kubewright.manager.elected import Elected
from kubewright.manager.manager import Manager, RunnableCluster

if TYPE_CHECKING:
    from kubewright.manager.leaderelection import LeaderElection, LeaderElector

__all__ = ["Elected", "LeaderElection", "LeaderElector", "Manager", "RunnableCluster"]

# Loaded when first used, since many operators run alone. Hidden from type checkers, which know the
# names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__, dict.fromkeys(("LeaderElection", "LeaderElector"), "leaderelection")
    )

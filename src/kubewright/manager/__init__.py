"""A manager runs everything that an operator is made of, and stops it again in good order.

What it runs, it knows only as `kubewright.runnable.Runnable`. Of many replicas with the same
`LeaderElection` one runs the last stage; the others are warm, and take over when it goes.
"""

from kubewright.manager.elected import Elected
from kubewright.manager.leaderelection import LeaderElection, LeaderElector
from kubewright.manager.manager import Manager, RunnableCluster

__all__ = ["Elected", "LeaderElection", "LeaderElector", "Manager", "RunnableCluster"]

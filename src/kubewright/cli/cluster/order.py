"""What ``cluster start`` sends to the process that it starts, and the report it gets back."""

import msgspec

__all__ = ["Order", "Report"]


class Order(msgspec.Struct, frozen=True):
    """What the process has to do; its only argument, as JSON.

    Attributes:
        folder: The folder of the cluster.
        lock: The descriptor with the lock on that folder.
        report: The descriptor that takes a `Report`, one line, when it is ready or has failed.
        nodes: How many nodes.
        simulate: Whether containers only pretend to run.
        rbac: Whether users need permissions.
        port: Where to listen; 0 for any that is free.
        data_dir: Where objects are kept.
        kubeconfig: Where the user wants another copy of the kubeconfig.
    """

    folder: str
    lock: int
    report: int
    nodes: int = 1
    simulate: bool = False
    rbac: bool = True
    port: int = 0
    data_dir: str | None = None
    kubeconfig: str | None = None


class Report(msgspec.Struct, frozen=True):
    """How the start went."""

    error: str = ""

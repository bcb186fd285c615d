"""Controllers as kube-controller-manager has them, as ordinary Kubewright controllers.

They work against any API server: the embedded one, or a real kube-apiserver whose own controllers
are switched off. A controller is imported only when it is asked for.

Example:
    for runnable in make(cluster, ["deployment", "replicaset"]):
        manager.add(runnable)
"""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module

from kubewright.cluster import Cluster
from kubewright.runnable import Runnable

__all__ = ["CONTROLLERS", "Factory", "make"]

Factory = Callable[[Cluster], Iterable[Runnable]]
"""Returns the runnables of one controller."""

_PACKAGE = __name__


def _load(module: str, function: str, cluster: Cluster) -> Iterable[Runnable]:
    return [getattr(import_module(f"{_PACKAGE}.{module}"), function)(cluster)]


def _lazy(module: str, function: str = "") -> Factory:
    """Return a factory that loads *module* when it is called."""
    return partial(_load, module, function or f"{module}_controller")


CONTROLLERS: dict[str, Factory] = {
    "deployment": _lazy("deployment"),
    "replicaset": _lazy("replicaset"),
    "replicationcontroller": _lazy("replicaset", "replicationcontroller_controller"),
    "statefulset": _lazy("statefulset"),
    "daemonset": _lazy("daemonset"),
    "disruption": _lazy("disruption"),
    "job": _lazy("job"),
    "ttl-after-finished": _lazy("ttl_after_finished"),
    "cronjob": _lazy("cronjob"),
    "endpoint": _lazy("endpoint"),
    "endpointslice": _lazy("endpointslice"),
    "nodelifecycle": _lazy("nodelifecycle"),
    "persistentvolume-binder": _lazy("persistentvolume", "persistentvolume_binder_controller"),
    "root-ca-cert-publisher": _lazy("root_ca_cert_publisher", "root_ca_cert_publisher"),
}
"""Every controller, by its name in ``--controllers`` of kube-controller-manager."""


def make(cluster: Cluster, names: Iterable[str] | None = None) -> list[Runnable]:
    """Return the runnables of the controllers called *names*, or of all controllers.

    They read from the cache of *cluster*, which must run as well.

    Raises:
        ValueError: One of the names is not a controller's.
    """
    wanted = list(CONTROLLERS if names is None else names)
    if unknown := [name for name in wanted if name not in CONTROLLERS]:
        raise ValueError(
            f"there is no controller called {unknown[0]!r}: choose among {', '.join(CONTROLLERS)}"
        )
    return [runnable for name in wanted for runnable in CONTROLLERS[name](cluster)]

"""`Assembly`: makes the controllers and daemons of an operator from its declarations."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from kubewright.api.kind_reference import KindLike
from kubewright.controller import Controller
from kubewright.controller.declaration import Declaration, OnFailure
from kubewright.controller.run import Run
from kubewright.operator.apply import Applier
from kubewright.operator.children import Family
from kubewright.operator.context import Means
from kubewright.operator.daemon import Daemons
from kubewright.operator.departed import Departed
from kubewright.operator.indexes import HeldIndexes
from kubewright.operator.observed import Observers
from kubewright.operator.reconciler import ObjectReconciler
from kubewright.operator.timer import Schedule

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster
    from kubewright.controller.watches import KindWatch

__all__ = ["Assembly"]


class Assembly:
    """The controllers and daemons of one operator, in all clusters.

    Args:
        name: The name of the operator.
        failure_events: Whether a failed reconcile records an event on its object.
        workers: How many objects a reconciler works on at a time, unless it says so itself.

    Attributes:
        controllers: One for each declaration and cluster.
        daemons: What runs daemons, one for each declared daemon and cluster.
    """

    def __init__(self, name: str, *, failure_events: bool, workers: int) -> None:
        self.controllers: list[Controller] = []
        self.daemons: list[Daemons] = []
        self._name = name
        self._failure_events = failure_events
        self._workers = workers
        self._observers = Observers()

    def add(self, declaration: Declaration, cluster: "Cluster", indexes: HeldIndexes) -> None:
        """Make the controller of *declaration* in *cluster*, which holds *indexes*."""
        reconciler = self._make_reconciler(declaration, cluster)
        reconciler.indexes = indexes
        indexes.join()
        if reconciler.daemons is not None:
            self.daemons.append(reconciler.daemons)
        self.controllers.append(self._make_controller(declaration, reconciler))

    def _make_controller(
        self, declaration: Declaration, reconciler: ObjectReconciler[Any]
    ) -> Controller:
        cluster = reconciler.cluster
        name = f"{declaration.name}-{cluster.name}" if cluster.name else declaration.name
        declared = replace(
            declaration,
            name=name,
            sources=(*declaration.sources, *reconciler.sources),
            workers=declaration.workers or self._workers,
            on_failure=_failure_handler(
                reconciler.report if self._failure_events else None, declaration
            ),
        )
        return Controller(declared, reconciler, cluster=cluster, clock=cluster.clock)

    def _make_reconciler(
        self, declaration: Declaration, cluster: "Cluster"
    ) -> ObjectReconciler[Any]:
        primary = declaration.primary.informer(cluster)
        family = Family(
            cluster.client,
            _declare_informers(declaration.owns, cluster),
            _declare_informers(declaration.watches, cluster),
        )
        means = Means(
            self._name,
            cluster,
            family,
            Applier(cluster.client, family, field_owner=self._name, clock=cluster.clock),
            cluster.clock,
            self._observers.join_wishes(declaration, cluster, primary),
        )
        if not declaration.daemon:
            observer = self._observers.join(declaration, cluster, primary)
            made = ObjectReconciler(declaration, means, primary, observer)
            if declaration.gone is not None:
                made.departed = Departed(primary, cluster=cluster.name, clock=cluster.clock)
            if declaration.timer:
                made.schedule = Schedule(cluster.clock)
            return made
        # A daemon never finishes a generation, so the others must not wait for it.
        alone = Observers().join(declaration, cluster, primary)
        made = ObjectReconciler(declaration, means, primary, alone)
        report = made.report if self._failure_events else None
        made.daemons = Daemons(report, clock=cluster.clock)
        return made


def _failure_handler(report: OnFailure | None, declaration: Declaration) -> OnFailure | None:
    """Return the function to call for failures: our own report, and the declared one."""
    theirs = declaration.on_failure
    if report is None or theirs is None:
        return report or theirs

    def tell(run: Run, error: Exception) -> None:
        report(run, error)
        theirs(run, error)

    return tell


def _declare_informers(
    watches: Iterable["KindWatch[Any]"], cluster: "Cluster"
) -> dict[KindLike[Any], "Informer[Any]"]:
    """Declare and return the informers of the kinds that are watched in *cluster* itself."""
    here = [one for one in watches if one.cluster is None or one.cluster is cluster]
    return {one.kind: one.informer(cluster) for one in here}

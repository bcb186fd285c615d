"""Controllers: what turns changes in a cluster into calls of a reconciler.

A reconciler is an ``async`` function that brings one object to where it should be. A `Controller`
calls it whenever that may be necessary: an object has changed, or one that it owns, or one that a
map function connects with it; time has passed; the last try failed. It is told which object, not
what happened, so it looks at the world as it is, and a change that was missed does no harm.
"""

from kubewright.controller.controller import Controller
from kubewright.controller.declaration import Declaration, Options, declare
from kubewright.controller.mapping import MapContext, MapFunction, Target
from kubewright.controller.predicates import (
    PRIMARY,
    Filter,
    Predicate,
    annotations_changed,
    content_changed,
    created,
    deleted,
    deletion_changed,
    finalizers_changed,
    generation_changed,
    labels_changed,
    matches,
    owners_changed,
    predicate,
    resource_version_changed,
    updated,
)
from kubewright.controller.request import Reason, Request, Result
from kubewright.controller.retry import Retry, RetryLike
from kubewright.controller.run import Run
from kubewright.controller.sources import Channel, Interval, Sink, Source, Targets
from kubewright.controller.watches import For, KindWatch, Owns, Watches
from kubewright.controller.worker import Reconciler

__all__ = [
    "PRIMARY",
    "Channel",
    "Controller",
    "Declaration",
    "Filter",
    "For",
    "Interval",
    "KindWatch",
    "MapContext",
    "MapFunction",
    "Options",
    "Owns",
    "Predicate",
    "Reason",
    "Reconciler",
    "Request",
    "Result",
    "Retry",
    "RetryLike",
    "Run",
    "Sink",
    "Source",
    "Target",
    "Targets",
    "Watches",
    "annotations_changed",
    "content_changed",
    "created",
    "declare",
    "deleted",
    "deletion_changed",
    "finalizers_changed",
    "generation_changed",
    "labels_changed",
    "matches",
    "owners_changed",
    "predicate",
    "resource_version_changed",
    "updated",
]

"""Sets of objects that are applied together, and pruned when they leave the set.

An `ApplySet` applies documents by server-side apply, in an order in which each finds what it needs,
and deletes what an earlier apply of the same set has made and what is not in it any more. It is
the ApplySet of kubectl: labels and annotations say what belongs together.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.applyset.applyset import ApplySet
    from kubewright.applyset.instances import delete_instances, find_instances
    from kubewright.applyset.listener import Listener
    from kubewright.applyset.member import Member, ObjectName, members_of
    from kubewright.applyset.order import Phase, phase_of, phases_of
    from kubewright.applyset.parent import Contents, Parent
    from kubewright.applyset.reach import Found
    from kubewright.applyset.readiness import Unready, find_unready
    from kubewright.applyset.report import Change, Conflict, Failure, Report

__all__ = [
    "ApplySet",
    "Change",
    "Conflict",
    "Contents",
    "Failure",
    "Found",
    "Listener",
    "Member",
    "ObjectName",
    "Parent",
    "Phase",
    "Report",
    "Unready",
    "delete_instances",
    "find_instances",
    "find_unready",
    "members_of",
    "phase_of",
    "phases_of",
]

_WHERE = {
    "ApplySet": "applyset",
    "Change": "report",
    "Conflict": "report",
    "Contents": "parent",
    "Failure": "report",
    "Found": "reach",
    "Listener": "listener",
    "Member": "member",
    "ObjectName": "member",
    "Parent": "parent",
    "Phase": "order",
    "Report": "report",
    "Unready": "readiness",
    "delete_instances": "instances",
    "find_instances": "instances",
    "find_unready": "readiness",
    "members_of": "member",
    "phase_of": "order",
    "phases_of": "order",
}

# Loaded when first used. Hidden from type checkers, which know the names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)

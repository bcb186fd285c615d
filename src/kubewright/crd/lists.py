"""Types of lists that many kinds have, with their markers."""

from typing import Annotated

from kubewright.api.meta import Condition
from kubewright.crd.markers import ListMapKey, ListType

__all__ = ["Conditions"]

Conditions = Annotated[list[Condition], ListType("map"), ListMapKey("type")]
"""The conditions of a status: at most one of each type, each of which a writer has for itself.

So with server-side apply, two controllers may set conditions of one object.
"""

"""A printer: columns, and a function that returns the cells of an object."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages

Cells = Callable[[Obj, Ages], list[Any]]

NAME_DESCRIPTION: str = (
    "Name must be unique within a namespace. Is required when creating resources, although some"
    " resources may allow a client to request the generation of an appropriate name automatically."
    " Name is primarily intended for creation idempotence and configuration definition. Cannot be"
    " updated. More info:"
    " https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
CREATED_DESCRIPTION: str = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. It"
    " is not guaranteed to be set in happens-before order across separate operations. Clients may"
    " not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the"
    " system. Read-only. Null for lists. More info:"
    " https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)


def column(name: str, description: str, type: str = "string", *, wide: bool = False) -> Obj:  # noqa: A002  # the field's name
    """Return a column; a *wide* one is shown with ``-o wide`` only."""
    return {
        "name": name,
        "type": type,
        "format": "",
        "description": description,
        "priority": int(wide),
    }


NAME: Obj = {**column("Name", NAME_DESCRIPTION), "format": "name"}
AGE: Obj = column("Age", CREATED_DESCRIPTION)
CREATED_AT: Obj = column("Created At", CREATED_DESCRIPTION, "date")
SELECTOR: Obj = column("Selector", "Which pods belong to it.", wide=True)
CONTAINERS: Obj = column("Containers", "Names of each container in the template.", wide=True)
IMAGES: Obj = column("Images", "Images referenced by each container in the template.", wide=True)


@dataclass(frozen=True, slots=True)
class Printer:
    """How objects of a kind become rows.

    Attributes:
        columns: The columns in order; an object has one cell for each.
        cells: Returns the cells of an object.
        conditions: Returns the conditions of a row, for kinds whose objects can complete.
        of_list: Returns the sorted objects of a list, and the function for their cells, where that
            function depends on all of them.
    """

    columns: tuple[Obj, ...]
    cells: Cells
    conditions: Callable[[Obj], list[Obj] | None] | None = None
    of_list: Callable[[list[Obj]], tuple[list[Obj], Cells]] | None = None

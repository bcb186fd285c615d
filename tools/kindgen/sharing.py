"""What the document says beyond types: how writers share lists and maps, and what is filled in."""

from collections.abc import Iterator

from tools.kindgen.document import Document
from tools.kindgen.facts import ALIASES, DEFAULTS, Schema
from tools.kindgen.names import InputError, module_of, short

LIST_TYPE = "x-kubernetes-list-type"
LIST_KEYS = "x-kubernetes-list-map-keys"
MAP_TYPE = "x-kubernetes-map-type"


def shared(document: Document) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return how the fields of each class are shared; an empty name stands for the whole object."""
    found = {}
    for name in sorted(set(document.definitions) - set(ALIASES)):
        whole = [("", (kind,))] if (kind := document.schema(name).get(MAP_TYPE)) else []
        fields = _fields(document.properties(name))
        if told := dict([*whole, *fields]):
            found[f"{module_of(name)}.{short(name)}"] = told
    return found


def _fields(properties: dict[str, Schema]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for wire, schema in sorted(properties.items()):
        if kind := schema.get(LIST_TYPE) or schema.get(MAP_TYPE):
            yield wire, (kind, *schema.get(LIST_KEYS, ()))


def defaults(document: Document) -> dict[str, dict[str, object]]:
    """Return what the server fills in, for the classes that *document* has.

    Raises:
        InputError: A field of which we know the default is gone.
    """
    here = {f"{module_of(name)}.{short(name)}": name for name in document.definitions}
    found = {label: filled for label, filled in sorted(DEFAULTS.items()) if label in here}
    for label, filled in found.items():
        if gone := filled.keys() - document.properties(here[label]).keys():
            raise InputError(f"{label} has no {min(gone)!r} any more: take it out of DEFAULTS")
    return found


def render(document: Document) -> str:
    """Return the two tables as Python."""
    tables: dict[str, tuple[str, dict[str, dict[str, object]]]] = {
        "SHARED": ("tuple[str, ...]", {k: dict(v) for k, v in shared(document).items()}),
        "DEFAULTS": ("str | bool", defaults(document)),
    }
    return "\n".join(
        f"{name}: dict[str, dict[str, {kind}]] = {{\n{_rows(table)}}}\n"
        for name, (kind, table) in tables.items()
    )


def _rows(table: dict[str, dict[str, object]]) -> str:
    rows = []
    for label, fields in table.items():
        inside = "".join(f"        {wire!r}: {told!r},\n" for wire, told in fields.items())
        rows.append(f"    {label!r}: {{\n{inside}    }},\n")
    return "".join(rows).replace("'", '"')

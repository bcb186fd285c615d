"""Field sets that were written when the schema was another."""

from kubewright.apiserver.fieldmanager.fieldset import LEAF, FieldSet
from kubewright.apiserver.fieldmanager.shape import Shape, untyped


def reconciled(fields: FieldSet, shape: Shape) -> FieldSet:
    """Return *fields* with what is now owned as a whole owned as a whole."""
    out = fields
    for step, node in fields.items():
        if not node:
            continue
        below = _below(step, shape)
        if below is None:
            continue
        fresh = _node(node, below)
        if fresh is not node:
            if out is fields:
                out = dict(fields)
            out[step] = fresh
    return out


def _node(node: FieldSet, shape: Shape) -> FieldSet:
    if shape.form == "map":
        if untyped(shape):
            return node
        return LEAF if shape.atomic_map else reconciled(node, shape)
    if shape.form == "list":
        return LEAF if shape.atomic_list else reconciled(node, shape)
    return node


def _below(step: str, shape: Shape) -> Shape | None:
    if shape.form == "list":
        return shape.item
    if not step.startswith("f:"):
        return shape.element
    known = shape.fields.get(step[2:])
    return known[1] if known else shape.element

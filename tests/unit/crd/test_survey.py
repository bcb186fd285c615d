"""Which objects of a schema are alike, and what their class is called."""

from typing import Any

from kubewright.crd.recognition import Recognition
from kubewright.crd.survey import Survey

TEXT = {"type": "string"}


def object_of(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object."""
    return {"type": "object", "properties": properties}


def test_objects_are_alike_whatever_their_fields_say_of_them() -> None:
    """Defaults and descriptions belong to the place, not to the type."""
    survey = Survey(Recognition())
    one, other = object_of(a=TEXT), {**object_of(a=TEXT), "default": {}, "description": "A."}

    assert survey.key(one) == survey.key(other)
    assert survey.key(one) != survey.key(object_of(a={**TEXT, "description": "A."}))


def test_the_shortest_way_names_the_class() -> None:
    """It is the one that a reader finds first."""
    survey = Survey(Recognition())
    part = object_of(a=TEXT)

    survey.add(object_of(deep=object_of(part=part), list={"type": "array", "items": part}), "Shop")

    assert survey.sort_of(part).name == "ShopDeepPart"


def test_maps_and_named_types_are_no_objects() -> None:
    """They have no class of their own."""
    survey = Survey(Recognition())
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}

    assert survey.is_object({"type": "object"})
    assert not survey.is_object({"type": "object", "additionalProperties": TEXT})
    assert not survey.is_object(anything)

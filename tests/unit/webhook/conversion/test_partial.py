"""Objects of which a part is missing, in the middle of a server-side apply."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest

import kubewright as kw
from kubewright import _json
from kubewright.errors import DecodeError
from kubewright.kinds.core.v1 import PodTemplateSpec
from kubewright.webhook.conversion.partial import read_partly


class Color(StrEnum):
    RED = "red"


class Room(kw.Model):
    name: str
    doors: kw.Int32
    note: str | None = None


class HouseSpec(kw.Model):
    street: Annotated[str, kw.MinLength(1)]
    policy: Literal["Allow", "Forbid"]
    color: Color
    built: datetime
    warm: bool
    height: float
    rooms: list[Room]
    parts: dict[str, Room]
    template: PodTemplateSpec
    main: Room
    spare: Room | None
    anything: Any
    floors: int = 2


@kw.resource(group="example.com", version="v1")
class House(kw.Resource):
    spec: HouseSpec


def test_without_a_spec_every_required_field_has_its_zero_value() -> None:
    """As in Go; a function that converts need not expect that a field is not there."""
    house = read_partly(b'{"metadata":{"name":"a"}}', House)

    spec = house.spec
    assert house.metadata.name == "a"
    assert (spec.street, spec.policy, spec.color) == ("", "Allow", Color.RED)
    assert (spec.warm, spec.height, spec.rooms, spec.parts) == (False, 0.0, [], {})
    assert spec.built == datetime(1, 1, 1, tzinfo=UTC)
    assert (spec.main, spec.spare, spec.anything) == (Room(name="", doors=0), None, None)
    assert spec.floors == 2


def test_what_is_there_stays_and_the_rest_is_filled_in_at_any_depth() -> None:
    """The server asks for a part of the object, and wants that part back."""
    sent = {
        "spec": {
            "street": "High Street",
            "rooms": [{"doors": 2}],
            "parts": {"roof": {"name": "roof"}},
            "spare": {"name": "attic", "unknown": 1},
            "main": None,
        }
    }

    spec = read_partly(_json.encode(sent), House).spec

    assert spec.street == "High Street"
    assert spec.rooms == [Room(name="", doors=2)]
    assert spec.parts == {"roof": Room(name="roof", doors=0)}
    assert spec.spare == Room(name="attic", doors=0)
    assert spec.main == Room(name="", doors=0)


def test_a_value_of_a_wrong_type_is_still_refused() -> None:
    """Nothing is guessed but what is missing."""
    with pytest.raises(DecodeError, match=r"spec\.street"):
        read_partly(b'{"spec":{"street":7}}', House)

"""What can be read of an object that does not fit its class."""

from typing import Annotated

import msgspec
import pytest

import kubewright as kw
from kubewright.errors import DecodeError
from kubewright.operator.unfit import readable_part


class Address(kw.Model):
    street: str
    number: int = 1


class HouseSpec(kw.Model):
    address: Annotated[Address | None, "where it is"] = None
    rooms: int
    doors: list[int] = []
    color: str = "white"


@kw.resource(group="example.com", version="v1")
class House(kw.Resource):
    spec: HouseSpec
    bucket: str = ""


def house(**spec: object) -> House:
    tree = {"metadata": {"name": "a", "finalizers": ["x"]}, "bucket": "b", "spec": spec}
    return readable_part(msgspec.json.encode(tree), House)


def test_all_that_fits_is_there() -> None:
    """A clean-up needs the name, and what it noted of the things elsewhere."""
    found = house(rooms="two", doors=[1], address={"number": 3})

    assert (found.key.name, found.metadata.finalizers, found.bucket) == ("a", ["x"], "b")
    assert (found.spec.doors, found.spec.color) == ([1], "white")
    assert found.spec.address is not None
    assert found.spec.address.number == 3


def test_what_does_not_fit_cannot_be_read() -> None:
    """A made-up value would delete the wrong thing."""
    found = house(rooms="two", doors=["a"], address={"number": 3})

    for obj, name in ((found.spec, "rooms"), (found.spec, "doors"), (found.spec.address, "street")):
        with pytest.raises(AttributeError, match=name):
            getattr(obj, name)


def test_a_class_that_refuses_the_rest_is_told() -> None:
    """It has rules of its own for what belongs together."""

    class Spec(kw.Model):
        size: int

        def __post_init__(self) -> None:
            if self.size < 1:
                raise ValueError("too small")

    @kw.resource(group="example.com", version="v1")
    class Small(kw.Resource):
        spec: Spec

    with pytest.raises(DecodeError, match="Spec refuses what can be read of it"):
        readable_part(b'{"metadata":{"name":"a"},"spec":{"size":"many"}}', Small)

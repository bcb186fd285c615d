import json
from typing import Annotated

import kubewright as kw
from kubewright.application.diagnosis.samples import judge
from kubewright.crd import Maximum
from tests.unit.application.diagnosis.ward import told


class ShopSpec(kw.Model):
    """What a shop is like."""

    name: str
    floors: Annotated[int, Maximum(3)] = 1


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    """A custom kind."""

    spec: ShopSpec


def stored(**spec: object) -> bytes:
    """Return an object as the server has it."""
    meta = {"name": "corner", "namespace": "high-street"}
    return json.dumps(
        {"apiVersion": "example.com/v1", "kind": "Shop", "metadata": meta, "spec": spec}
    ).encode()


def test_an_object_that_fits_is_fine() -> None:
    """There is nothing to say."""
    assert list(judge(stored(name="a", floors=3), Shop)) == []


def test_an_object_that_cannot_be_read_is_named_with_the_field() -> None:
    """The operator cannot reconcile it, and says so in its log only."""
    (found,) = judge(stored(name=5), Shop)

    assert told([found]) == [("warning", "shops.example.com/corner in namespace high-street")]
    assert "spec.name" in found.what
    assert found.mend == ("kubectl edit shops.v1.example.com corner --namespace high-street",)


def test_an_object_that_breaks_a_newer_rule_is_named() -> None:
    """Nobody notices before the next change of it is refused."""
    (found,) = judge(stored(name="a", floors=9), Shop)

    assert "is above the maximum 3 (at .spec.floors)" in found.what

import copy
from typing import Annotated, Any, ClassVar

import msgspec
import pytest

from kubewright import _json
from kubewright.api.model import Model, ModelMeta, absent, field
from kubewright.crd import MaxItems, Required
from kubewright.errors import SchemaError


class Door(Model):
    color: str = "red"
    locked: bool = False
    hinges: int = 0


class House(Model):
    LIMIT: ClassVar[int] = 5
    owner_name: str
    phase: str = "PENDING"
    maybe: str | None = None
    rooms: list[str] = []
    tags: dict[str, str] = {}
    doors: list[Door] = [Door(color="blue")]
    front: Door = Door()
    cluster_ip: str | None = field(default=None, name="clusterIP")
    quiet: str = absent("")
    count: int = absent(0)
    made: list[int] = field(default_factory=lambda: [1])


def sent(model: Model) -> Any:
    return _json.to_builtins(model)


def test_none_and_empty_collections_are_not_sent_and_all_else_is() -> None:
    """``phase: PENDING`` must reach the server; an empty list must not."""
    assert sent(House(owner_name="a")) == {
        "ownerName": "a",
        "phase": "PENDING",
        "doors": [{"color": "blue", "locked": False, "hinges": 0}],
        "front": {"color": "red", "locked": False, "hinges": 0},
        "made": [1],
    }


def test_a_value_equal_to_a_meaningful_default_is_sent_too() -> None:
    """Whether somebody wrote it or not, the server sees the same."""
    assert sent(Door(color="red", locked=False)) == sent(Door())


def test_an_absent_default_is_not_sent_until_it_has_a_value() -> None:
    """Go's omitempty on plain strings and numbers."""
    assert "quiet" not in sent(House(owner_name="a", quiet=""))
    assert sent(House(owner_name="a", quiet="x", count=2))["count"] == 2


class Street(Model):
    houses: Annotated[list[str], Required()] = []
    signs: "Annotated[dict[str, str], MaxItems(3), Required()]" = {}
    trees: Annotated[list[str], Required()] = field(default_factory=list, name="allTrees")
    lamps: Annotated[list[str], Required()] = field(default=[], name="allLamps")
    cars: Annotated[list[str], MaxItems(3)] = []


def test_a_collection_that_the_server_requires_is_sent_though_it_is_empty() -> None:
    """The server would refuse every status that has nothing to list yet."""
    assert sent(Street()) == {"houses": [], "signs": {}, "allTrees": [], "allLamps": []}

    Street().houses.append("one")
    assert Street().houses == []


def test_irregular_names_are_kept() -> None:
    """In camelCase it would be clusterIp, which the server does not know."""
    assert sent(House(owner_name="a", cluster_ip="10.0.0.1"))["clusterIP"] == "10.0.0.1"
    assert _json.decode(b'{"ownerName":"a","clusterIP":"x"}', House).cluster_ip == "x"


def test_two_objects_never_share_a_default() -> None:
    """A list appended to in one object must not grow in all others."""
    one, other = House(owner_name="a"), House(owner_name="b")

    one.rooms.append("x")
    one.tags["x"] = "y"
    one.doors[0].color = "green"
    one.front.locked = True
    one.made.append(2)

    assert (other.rooms, other.tags, other.made) == ([], {}, [1])
    assert other.doors[0].color == House(owner_name="c").doors[0].color == "blue"
    assert not other.front.locked


def test_fields_are_given_by_keyword_only() -> None:
    """Kubernetes adds fields in the middle; positions would shift."""
    with pytest.raises(TypeError):
        Door("red")  # type: ignore[call-arg]  # that is the point


def test_subclasses_follow_the_same_rules() -> None:
    """Keyword-only and sent defaults are not lost by inheritance."""

    class Gate(Door):
        width: int
        height: int = 2

    assert sent(Gate(width=1)) == {
        "color": "red", "locked": False, "hinges": 0, "width": 1, "height": 2
    }  # fmt: skip
    with pytest.raises(TypeError):
        Gate(1)  # type: ignore[call-arg, arg-type]  # that is the point


def test_class_variables_are_no_fields() -> None:
    """They are neither sent nor asked for."""
    assert House.LIMIT == 5
    assert "LIMIT" not in House.__struct_fields__


def test_a_missing_required_field_is_named() -> None:
    """Both from Python and from JSON."""
    with pytest.raises(TypeError, match="owner_name"):
        House()  # type: ignore[call-arg]  # that is the point
    with pytest.raises(ValueError, match="missing required field `ownerName`"):
        _json.decode(b"{}", House)


def test_unknown_fields_are_skipped() -> None:
    """The server may be newer than the class."""
    assert _json.decode(b'{"color":"red","new":{"deep":[1]}}', Door) == Door()


def test_models_compare_and_copy_by_value() -> None:
    """Whether something changed is asked by ``==``."""
    house = House(owner_name="a", rooms=["x"])
    twin = copy.deepcopy(house)

    twin.rooms.append("y")

    assert house.rooms == ["x"]
    assert house != twin
    assert copy.copy(house) == house
    assert msgspec.structs.replace(house, phase="DONE").phase == "DONE"


def test_a_field_without_annotation_is_refused() -> None:
    """Python would keep it as an attribute of the class, and no object would ever have it."""
    with pytest.raises(SchemaError, match=r"Spec\.replicas has no annotation.*replicas: int = "):
        ModelMeta("Spec", (Model,), {"replicas": 3})
    with pytest.raises(SchemaError, match=r"Spec\.size has no annotation"):
        ModelMeta("Spec", (Model,), {"size": field(default=3)})


def test_what_is_no_field_needs_no_annotation() -> None:
    """Methods, properties, nested classes, private names and class variables stay what they are."""

    class Spec(Model):
        class Part(Model):
            size: int = 1

        limit: ClassVar[int] = 3
        _hidden = 4
        replicas: int = 1

        @property
        def twice(self) -> int:
            return 2 * self.replicas

        @staticmethod
        def make() -> "Spec":
            return Spec()

    assert (Spec.make().twice, Spec.limit, Spec.Part().size) == (2, 3, 1)
    assert Spec.__struct_fields__ == ("replicas",)

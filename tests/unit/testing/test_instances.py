"""Random objects keep the schema of their class."""

from random import Random
from typing import Annotated, Any, Literal

import pytest

import kubewright as kw
from kubewright import _json
from kubewright.crd.conformity import problems
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import ConfigMap, Node, PersistentVolume, Pod, Secret, Service
from kubewright.kinds.networking.v1 import Ingress
from kubewright.testing.instances import Document, Instances, Make


class Door(kw.Model):
    name: str
    width: int | None = None


class Limits(kw.Model):
    percent: Annotated[int, kw.Minimum(0), kw.Maximum(100)] | None = None
    below: Annotated[int, kw.Maximum(-5)] | None = None
    between: Annotated[int, kw.ExclusiveMinimum(0), kw.ExclusiveMaximum(2)] | None = None
    tens: Annotated[int, kw.Minimum(5), kw.MultipleOf(10)] | None = None
    share: Annotated[float, kw.Minimum(0.0), kw.Maximum(1.0)] | None = None
    part: Annotated[float, kw.ExclusiveMinimum(0.0), kw.ExclusiveMaximum(1.0)] | None = None
    small: kw.Int32 | None = None


class HouseSpec(kw.Model):
    owner: str
    colour: Literal["red", "green"] | None = None
    limits: Limits | None = None
    doors: Annotated[list[Door], kw.ListType("map"), kw.ListMapKey("name")] = []
    keys: Annotated[list[Literal["a", "b"]], kw.ListType("set"), kw.MinItems(2)] | None = None
    rooms: Annotated[list[str], kw.MinItems(4), kw.MaxItems(5)] | None = None
    pair: Annotated[dict[str, int], kw.MinProperties(2), kw.MaxProperties(2)] | None = None
    parts: dict[str, Door] = {}
    port: kw.IntOrString | None = None
    share: Annotated[kw.IntOrString, kw.Pattern("^[1-9]%$")] | None = None
    memory: kw.Quantity | None = None
    anything: Any = None
    sold: bool | None = None
    code: Annotated[str, kw.Pattern("^[A-Z]{2}[0-9]+$"), kw.MaxLength(4)] | None = None


@kw.resource(group="example.com", version="v1")
class House(kw.Resource):
    """A house with a field of each sort."""

    spec: HouseSpec


def make_houses(count: int = 300, *, seed: int = 1, make: Make | None = None) -> list[Document]:
    """Return random houses."""
    return list(Instances(House, Random(seed), make or {}).documents(count))


def values(name: str, inside: str = "") -> list[Any]:
    """Return the values that a field of the spec has, in those houses that have it."""
    specs = [one["spec"] for one in make_houses()]
    found = [one.get(inside, {}) if inside else one for one in specs]
    return [one[name] for one in found if name in one]


def test_the_first_object_has_only_what_is_required() -> None:
    """Functions that rely on an optional field fail there, and the object is small already."""
    (first,) = make_houses(1)

    assert set(first) == {"apiVersion", "kind", "metadata", "spec"}
    assert (first["apiVersion"], first["kind"]) == ("example.com/v1", "House")
    assert set(first["metadata"]) == {"name", "namespace"}
    assert set(first["spec"]) == {"owner"}


def test_the_second_object_has_every_field() -> None:
    """No field is left to chance, however seldom it would come."""
    house = make_houses(2)[1]

    assert set(house["spec"]) == set(HouseSpec.__struct_encode_fields__)
    assert set(house["spec"]["limits"]) == set(Limits.__struct_encode_fields__)
    assert set(house["metadata"]) == {"name", "namespace", "labels", "annotations"}


def test_every_object_fits_its_class_and_its_schema() -> None:
    """What the server would refuse is never converted, so it shows nothing."""
    instances = Instances(House, Random(1), {})

    for document in instances.documents(300):
        assert list(problems(document, instances.schema)) == []
        assert isinstance(_json.decode(_json.encode(document), House), House)


@pytest.mark.parametrize(
    "kind", [ConfigMap, Deployment, Ingress, Node, PersistentVolume, Pod, Secret, Service]
)
def test_objects_of_kubernetes_own_kinds_fit_their_classes(kind: type[kw.Resource]) -> None:
    """Many custom resources have a pod template inside, with its hundreds of fields."""
    instances = Instances(kind, Random(1), {})

    for document in instances.documents(30):
        assert list(problems(document, instances.schema)) == []
        assert isinstance(_json.decode(_json.encode(document), kind), kind)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("percent", {0, 1, 2, 3, 7, 30, 100}),
        ("below", {-105, -5}),
        ("between", {1}),
        ("tens", {30, 100}),
        ("share", {0, 0.25, 0.5, 1}),
        ("part", {0.25, 0.5}),
        ("small", {0, 1, 2, 3, 7, 30, 100, 65535, 2**31 - 1}),
    ],
)
def test_numbers_are_the_limits_of_their_field_and_some_between(
    name: str, expected: set[float]
) -> None:
    """Faults are at the limits; and a number above them could not be stored."""
    found = set(values(name, "limits"))

    assert expected <= found
    assert min(expected) <= min(found)
    assert max(found) <= 2**53


def test_each_word_of_a_choice_comes() -> None:
    """A function that forgets one of them fails on it alone."""
    assert set(values("colour")) == {"red", "green"}


def test_items_of_a_map_and_of_a_set_are_unique() -> None:
    """The server refuses a list with two items of one key."""
    for doors in values("doors"):
        assert len({one["name"] for one in doors}) == len(doors)
    assert all(sorted(keys) == ["a", "b"] for keys in values("keys"))


def test_lists_and_dicts_have_as_many_items_as_they_may() -> None:
    """Neither too few nor too many; one that may be empty mostly is not, to show something."""
    assert {len(one) for one in values("rooms")} == {4, 5}
    assert {len(one) for one in values("pair")} == {2}
    doors = [len(one) for one in values("doors")]
    assert set(doors) <= {0, 1, 2}
    assert doors.count(0) < doors.count(1) + doors.count(2)


def test_what_may_be_a_number_or_a_text_is_both() -> None:
    """A function that knows one of them only fails on the other."""
    assert {type(one) for one in values("port")} == {int, str}


def test_quantities_are_such_as_people_write() -> None:
    """With and without a unit; where only some texts are allowed, such a text."""
    assert {"100m", "2Gi", "1500"} <= set(values("memory"))
    assert {len(one) for one in values("share")} == {2}


def test_texts_match_the_pattern_of_their_field() -> None:
    """The work is that of `make_text`; here it gets the schema of the field."""
    assert all(3 <= len(one) <= 4 and one[:2].isupper() for one in values("code"))


def test_the_same_seed_makes_the_same_objects() -> None:
    """A failure in CI can be seen again on a laptop."""
    assert make_houses(seed=3) == make_houses(seed=3)
    assert make_houses(seed=3) != make_houses(seed=4)


def test_make_says_what_a_field_has() -> None:
    """Also inside lists and dicts, and instead of a whole part."""
    houses = make_houses(
        make={
            "spec.owner": lambda random: random.choice(["me", "you"]),
            "spec.doors[].name": lambda _: "front",
            "spec.parts{}.width": lambda _: 12,
            "spec.limits": lambda _: {"percent": 50},
        }
    )

    specs = [one["spec"] for one in houses]
    assert {one["owner"] for one in specs} == {"me", "you"}
    assert all(one["limits"] == {"percent": 50} for one in specs if "limits" in one)
    assert {each["name"] for one in specs for each in one.get("doors", [])} == {"front"}
    widths = [each.get("width") for one in specs for each in one.get("parts", {}).values()]
    assert set(widths) == {None, 12}


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("spec", True),
        ("spec.owner", True),
        ("spec.limits.percent", True),
        ("spec.doors[]", True),
        ("spec.doors[].width", True),
        ("spec.parts{}", True),
        ("spec.parts{}.name", True),
        ("spec.anything", True),
        ("spec.Owner", False),
        ("spec.doors.width", False),
        ("spec.doors{}.width", False),
        ("spec.parts[].name", False),
        ("spec.parts.name", False),
        ("spec.owner.name", False),
        ("status", False),
        ("metadata", False),
        ("kind", False),
        ("apiVersion", False),
        ("", False),
    ],
)
def test_a_path_is_known_if_a_value_can_be_made_for_it(path: str, known: bool) -> None:
    """A path with a typing mistake would be passed over without a word."""
    assert Instances(House, Random(0), {}).has_path(path) is known


class Impossible(kw.Model):
    number: Annotated[int, kw.Minimum(5), kw.Maximum(7), kw.MultipleOf(4)]


@kw.resource(group="example.com", version="v1")
class Riddle(kw.Resource):
    """Something that nobody can make."""

    spec: Impossible


def test_a_number_that_cannot_be_made_is_named_with_the_way_out() -> None:
    """Chance does not know what the author meant."""
    told = (
        r"cannot make a number for spec\.number of .*: pass make=\{'spec\.number': lambda random: "
    )

    with pytest.raises(ValueError, match=told):
        list(Instances(Riddle, Random(0), {}).documents(1))

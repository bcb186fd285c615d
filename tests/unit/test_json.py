import contextlib
import gc
import threading
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any, Generic, TypeVar

import msgspec
import pytest

from kubewright import _json
from kubewright._json import MicroTime
from kubewright.api.meta import ObjectMeta
from kubewright.api.model import Model
from kubewright.errors import DecodeError


class Port(Model):
    number: int
    name: str | None = None


class Spec(Model):
    ports: list[Port] = []
    by_name: dict[str, Port] = {}
    maybe: list[str] | None = None
    numbers: dict[int, str] = {}
    anything: Any = None
    free: dict[str, Any] = {}
    nested: list[list[int]] = []
    either: list[int] | str | None = None
    marked: Annotated[list[int], msgspec.Meta(description="marked")] = []
    at: datetime | None = None
    exactly: MicroTime | None = None
    tags: set[str] = set()
    pair: tuple[int, ...] = ()
    holes: list[int | None] = []


class Shop(Model):
    spec: Spec = msgspec.field(default_factory=Spec)
    size: int = 1


def test_nulls_for_collections_are_empty_collections() -> None:
    """Go writes null for every empty slice and map without omitempty."""
    raw = b'{"spec":{"ports":null,"byName":null,"numbers":null,"nested":null,"marked":null}}'

    spec = _json.decode(raw, Shop).spec

    assert spec == Spec()
    assert _json.decode(b'{"tags":null,"pair":null,"free":null}', Spec) == Spec()


def test_nulls_inside_collections_are_dropped_where_they_mean_nothing() -> None:
    """A list of structs has no place for them; a list of lists has them one level down."""
    raw = (
        b'{"ports":[null,{"number":1}],"byName":{"a":null,"b":{"number":2}},'
        b'"nested":[null,[1,null]]}'
    )

    spec = _json.decode(raw, Spec)

    assert spec.ports == [Port(number=1)]
    assert spec.by_name == {"b": Port(number=2)}
    assert spec.nested == [[1]]


def test_nulls_that_the_type_wants_stay() -> None:
    """In free-form JSON a null is data, even when another one is dropped."""
    raw = b'{"ports":null,"anything":null,"free":{"a":null,"b":[null]},"maybe":null}'

    spec = _json.decode(raw, Spec)

    assert spec.free == {"a": None, "b": [None]}
    assert spec.maybe is None
    assert _json.decode(b'{"ports":null,"holes":[1,null]}', Spec).holes == [1, None]


def test_a_union_drops_nulls_by_the_shape_of_the_value() -> None:
    """An array is read as the list of the union, a text as its text."""
    assert _json.decode(b'{"ports":null,"either":[1,null]}', Spec).either == [1]
    assert _json.decode(b'{"ports":null,"either":"x"}', Spec).either == "x"
    assert _json.decode(b'{"ports":null,"marked":[null,1]}', Spec).marked == [1]


def test_a_null_for_a_required_field_is_a_missing_field() -> None:
    """There is no value to make of it."""
    with pytest.raises(DecodeError, match="missing required field `number`"):
        _json.decode(b'{"number":null}', Port)


def test_numbers_as_keys_survive_the_second_try() -> None:
    """JSON has only text for keys, and the way over dicts must read them too."""
    assert _json.decode(b'{"ports":null,"numbers":{"1":"a"}}', Spec).numbers == {1: "a"}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"spec":{"ports":[{"number":"x"}]}}',
         "cannot decode a Shop at spec.ports[0].number: expected `int`, got `str`"),
        (b'{"size":null,"spec":5}', "cannot decode a Shop at spec: expected `object`, got `int`"),
        (b'{"spec":{"numbers":{"x":"a"}}}',
         "cannot decode a Shop at key in spec.numbers: expected `int`, got `str`"),
        (b'{"spec":{"exactly":"soon"}}',
         "cannot decode a Shop at spec.exactly: invalid RFC3339 encoded datetime"),
        (b'{"spec":{"exactly":5}}',
         "cannot decode a Shop at spec.exactly: cannot make a MicroTime of 5"),
        (b"[]", "cannot decode a Shop: expected `object`, got `array`"),
    ],
)  # fmt: skip
def test_data_that_does_not_fit_names_the_field(raw: bytes, message: str) -> None:
    """``spec.size`` is what a person looks for in the manifest."""
    with pytest.raises(DecodeError) as caught:
        _json.decode(raw, Shop)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    "raw",
    [b"", b"<html>", b'{"a":', b'{"size":1}}', b'{"spec":{"maybe":["\xff"]}}', b"[" * 100_000,
     b'{"spec":' * 100_000, b"\x00"],
)  # fmt: skip
def test_what_is_not_json_is_a_decode_error(raw: bytes) -> None:
    """A proxy's error page, a cut body, bad UTF-8 and a nesting bomb alike, and none crashes."""
    with pytest.raises(DecodeError, match="cannot decode"):
        _json.decode(raw, Shop)
    with pytest.raises(DecodeError, match="cannot decode"):
        _json.loads(raw)


def test_only_the_beginning_of_a_bad_body_is_shown() -> None:
    """It may be long, and it may hold a secret."""
    with pytest.raises(DecodeError) as caught:
        _json.loads(b"x" * 10_000)

    assert len(str(caught.value)) < 200


def test_loads_reads_any_json() -> None:
    """For kinds without a class."""
    assert _json.loads(b'{"a":[1,null,{"b":"\xc3\xbc"}]}') == {"a": [1, None, {"b": "ü"}]}


def test_raw_parts_are_decoded_too() -> None:
    """The items of a list arrive as msgspec.Raw."""
    assert _json.decode(msgspec.Raw(b'{"number":1}'), Port) == Port(number=1)
    with pytest.raises(DecodeError, match="begins with b'x'"):
        _json.decode(msgspec.Raw(b"x"), Port)


def test_a_micro_time_is_written_with_six_digits() -> None:
    """Go refuses a lease whose renewTime has none."""
    noon = datetime(2026, 1, 1, 13, tzinfo=timezone(timedelta(hours=1)))
    spec = Spec(at=noon, exactly=MicroTime.of(noon))

    raw = _json.encode(spec)

    assert b'"exactly":"2026-01-01T12:00:00.000000Z"' in raw
    assert _json.to_builtins(spec)["exactly"] == "2026-01-01T12:00:00.000000Z"
    again = _json.decode(raw, Spec)
    assert again.exactly == noon
    assert type(again.exactly) is MicroTime
    assert type(again.exactly + timedelta(seconds=1)) is MicroTime


def test_a_micro_time_without_a_zone_is_not_sent() -> None:
    """It names no moment."""
    with pytest.raises(ValueError, match="has no time zone"):
        _json.encode(Spec(exactly=MicroTime(2026, 1, 1)))


def test_the_zero_time_of_go_keeps_its_four_digits() -> None:
    """``0001-01-01`` is what Go writes for a time that was never set."""
    assert str(MicroTime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00.000000Z"


def test_what_has_no_json_is_refused_by_name() -> None:
    """Better than a traceback from inside the encoder."""
    with pytest.raises(TypeError, match="object has no JSON form"):
        _json.encode({"a": object()})


def test_to_builtins_makes_plain_json() -> None:
    """Keys are text and names are those of the wire."""
    spec = Spec(numbers={1: "a"}, by_name={"x": Port(number=1)}, tags={"t"}, pair=(1, 2))

    assert _json.to_builtins(spec) == {
        "numbers": {"1": "a"},
        "byName": {"x": {"number": 1}},
        "tags": ["t"],
        "pair": [1, 2],
    }


def test_converting_does_not_change_its_input() -> None:
    """The dict may stand in a cache or belong to the user."""
    value = {"ports": None, "byName": {"a": None}}

    _json.convert(value, Spec)

    assert value == {"ports": None, "byName": {"a": None}}


def test_the_decoder_of_a_type_is_made_once() -> None:
    """Making one costs as much as decoding many objects."""
    assert _json.decoder(Spec) is _json.decoder(Spec)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [(None, True), (Any, True), (object, True), (int, False), (int | None, True),
     (list[int], False), (Annotated[int | None, "x"], True), (int | str, False)],
)  # fmt: skip
def test_a_type_says_whether_it_takes_null(kind: Any, answer: bool) -> None:
    """On this rests which nulls are dropped."""
    assert _json.accepts_null(kind) is answer


@pytest.mark.parametrize("data", [b'{"name": "a"}', b"{", b'{"name": 1}'])
def test_the_garbage_collector_is_left_as_it_was(data: bytes) -> None:
    """It is held off while decoding, and not switched on for who has switched it off."""
    with contextlib.suppress(DecodeError):
        _json.decode(data, ObjectMeta)
    after_on = gc.isenabled()
    gc.disable()
    try:
        with contextlib.suppress(DecodeError):
            _json.decode(data, ObjectMeta)
        after_off = gc.isenabled()
    finally:
        gc.enable()

    assert (after_on, after_off) == (True, False)


G = TypeVar("G")


class Box(Model, Generic[G]):
    items: list[G] = []


class Wrapped(Model):
    one: Annotated[Port, "note"] | None = None
    boxed: Box[Port] | None = None


def test_nulls_are_dropped_inside_of_annotated_and_generic_types() -> None:
    """Go writes them there as anywhere."""
    data = b'{"one": {"number": 1, "name": null}, "boxed": {"items": null}}'

    found = _json.decode(data, Wrapped)

    assert found == Wrapped(one=Port(number=1), boxed=Box[Port]())


def test_a_union_that_does_not_fit_is_named() -> None:
    """Not every type has a name of its own."""
    with pytest.raises(DecodeError, match=r"int \| None"):
        _json.decode(b'"x"', int | None)  # type: ignore[arg-type]  # a union is no class


SHARED = b'{"inner": {"number": 1}}'
half_known, go_on = threading.Event(), threading.Event()


def slow_type() -> type[int]:
    """Return the type of a field, later: msgspec asks for it in the middle of its work."""
    half_known.set()
    assert go_on.wait(10)
    return int


class Inner(msgspec.Struct):
    number: "slow_type()"  # type: ignore[valid-type]  # evaluated by msgspec


class Shared(msgspec.Struct):
    inner: Inner


def test_two_threads_can_meet_a_type_for_the_first_time() -> None:
    """A server in one thread and its client in another crashed the process."""
    found: list[Shared] = []
    threads = [
        threading.Thread(target=lambda: found.append(_json.decode(SHARED, Shared)))
        for _ in range(2)
    ]

    threads[0].start()
    assert half_known.wait(10)
    threads[1].start()
    threads[1].join(0.1)
    came_too_early = not threads[1].is_alive()
    go_on.set()
    for thread in threads:
        thread.join()

    assert not came_too_early
    assert [one.inner.number for one in found] == [1, 1]


def test_what_begins_as_an_object_is_not_repeated() -> None:
    """It may be the first half of a Secret, and errors are logged."""
    with pytest.raises(DecodeError) as refused:
        _json.loads(b'{"data":{"password":"aHVudGVyMg=="')

    assert "aHVudGVyMg" not in str(refused.value)

"""Every kind, with random objects: nothing is lost, and null is taken where Go writes it."""

import json
from importlib import import_module
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tools.kindgen.facts import ALIASES
from tools.kindgen.names import module_of, short

from kubewright import _json
from kubewright.api.merge import merged
from kubewright.api.resource import Resource, document, read
from tests.unit.kinds import samples
from tests.unit.kinds.samples import META, Json, Sampler, difference

KINDS = sorted(samples.kinds())
OBJECTS = [name for name in KINDS if samples.has_metadata(name)]
PARTS = sorted(set(samples.definitions()) - set(ALIASES))
RANDOM = st.randoms(use_true_random=True)
# Not shrunk: a smaller seed makes no smaller object, and the search for one takes minutes.
few = settings(
    derandomize=True, database=None, deadline=None, max_examples=4, phases=[Phase.generate]
)


def class_of(name: str) -> Any:
    """Return our class of a definition."""
    return getattr(import_module(f"kubewright.kinds.{module_of(name)}"), short(name))


def sent(thing: Any) -> Json:
    """Return what a server is sent for *thing*."""
    data: Json = document(thing) if isinstance(thing, Resource) else _json.to_builtins(thing)
    encoded: Json = json.loads(_json.encode(data))
    return encoded


def lost(name: str, random: Random, *, full: bool = False) -> str:
    """Return what differs between a random object and what is sent after reading it."""
    raw = Sampler(random, full=full).of(name)
    thing = _json.decode(_json.encode(raw), class_of(name))
    return difference(samples.with_times(name, sent(thing)), samples.expected(name, raw))


@pytest.mark.parametrize("name", KINDS)
@few
@given(random=RANDOM)
def test_a_kind_sends_what_it_has_read(name: str, random: Random) -> None:
    """A field that is read and not sent again would be deleted by the next update."""
    assert not lost(name, random)


@settings(few, max_examples=3)
@given(random=RANDOM)
def test_every_property_of_the_document_is_sent_as_it_was_read(random: Random) -> None:
    """Chance leaves out much of what is deep inside of a kind; here each part is full."""
    found = {name: lost(name, random, full=True) for name in PARTS}

    assert not {name: what for name, what in found.items() if what}


def go_writes_null(name: str, wire: str) -> bool:
    """Say whether Go writes null for a property: slices, maps, pointers and times."""
    schema = samples.properties(name)[wire]
    if samples.ref_of(schema) == META + "FieldsV1":
        return False  # kept as the JSON it is, and left out by Go when it is empty
    struct_of_kind = samples.has_metadata(name) and wire in {"metadata", "spec", "status"}
    nullable = not samples.required(name, wire) and not struct_of_kind
    return nullable or samples.is_collection(schema) or samples.is_time(schema)


@pytest.mark.parametrize("name", KINDS)
@few
@given(random=RANDOM)
def test_null_is_read_as_absent_wherever_go_writes_it(name: str, random: Random) -> None:
    """Go writes null for each empty slice, map, pointer and time without omitempty."""
    raw = Sampler(random).of(name)
    nulled = []
    for part, value in samples.each_struct(name, raw):
        wires = [wire for wire in samples.properties(part) if go_writes_null(part, wire)]
        nulled += [(value, wire) for wire in wires if wire not in value or random.random() < 0.2]
    for value, wire in nulled:
        value[wire] = None
    with_nulls = _json.encode(raw)
    for value, wire in nulled:
        value.pop(wire, None)

    thing = _json.decode(with_nulls, class_of(name))

    assert thing == _json.decode(_json.encode(raw), class_of(name))


@pytest.mark.parametrize("name", OBJECTS)
@few
@given(random=RANDOM)
def test_unknown_fields_survive_an_update(name: str, random: Random) -> None:
    """A server newer than our classes has fields that an update must not delete."""
    sampler = Sampler(random)
    raw = sampler.of(name)
    for _, value in samples.each_struct(name, raw):
        if random.random() < 0.5:
            value[f"notYetKnown{random.randrange(3)}"] = sampler.anything()
    thing = read(_json.encode(raw), class_of(name))
    before = document(thing)
    thing.metadata.labels["changed"] = "yes"

    updated = merged(raw, before, document(thing))

    raw["metadata"]["labels"] = (raw["metadata"].get("labels") or {}) | {"changed": "yes"}
    assert not difference(updated, raw)

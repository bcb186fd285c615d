"""generateName: the server completes a name."""

import re
from typing import Any

from tests.conformance.crds import Things
from tests.conformance.wire import Wire

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # no vowels and no look-alikes: no words, no mistakes


def generated(things: Things, prefix: str | None) -> Any:
    """Return an object without a name."""
    body = things.body("x")
    body["metadata"] = {"generateName": prefix} if prefix else {}
    return body


def test_a_name_is_made_of_the_prefix_and_five_letters(api: Wire, things: Things) -> None:
    """Both the prefix and the name stay readable."""
    body = generated(things, "job-")

    made = [api.post(things.path, body).ok(201)["metadata"] for _ in range(3)]

    assert all(re.fullmatch(f"job-[{ALPHABET}]{{5}}", one["name"]) for one in made), made
    assert len({one["name"] for one in made}) == 3
    assert {one["generateName"] for one in made} == {"job-"}


def test_a_long_prefix_is_cut_so_that_the_name_fits(api: Wire, things: Things) -> None:
    """Sixty-three characters, the five letters among them."""
    body = generated(things, "a" * 200)

    made = api.post(things.path, body).ok(201)["metadata"]

    assert re.fullmatch(f"a{{58}}[{ALPHABET}]{{5}}", made["name"]), made


def test_a_given_name_wins(api: Wire, things: Things) -> None:
    """The prefix is then only kept."""
    body = things.body("given")
    body["metadata"]["generateName"] = "job-"

    made = api.post(things.path, body).ok(201)["metadata"]

    assert (made["name"], made["generateName"]) == ("given", "job-")


def test_no_name_at_all_is_refused(api: Wire, things: Things) -> None:
    """The text names both ways out."""
    reply = api.post(things.path, generated(things, None))

    invalid = f"{things.kind}.{things.group}" if things.group else things.kind
    message = "Required value: name or generateName is required"
    assert reply.causes() == [("FieldValueRequired", "metadata.name", message)]
    assert f'{invalid} "" is invalid: metadata.name: {message}' == reply.json()["message"]


def test_a_bad_prefix_is_refused_by_its_own_name(api: Wire, things: Things) -> None:
    """The generated part cannot be wrong, so the prefix is to blame."""
    reply = api.post(things.path, generated(things, "Bad_"))

    fields = [field for _, field, _ in reply.causes()]
    assert "metadata.generateName" in fields

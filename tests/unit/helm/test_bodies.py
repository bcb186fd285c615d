"""What is written of an object, and compared with what is there."""

import pytest

import kubewright as kw
from kubewright.helm.bodies import (
    beside,
    of_uid,
    projected,
    removed,
    three_way,
    together,
    with_encoded_texts,
)
from kubewright.testing import operator_test
from tests.unit.helm.charts import ConfigMap, Secret, chart, operator, shop

STATUS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata: {status: good}\n"
TEXTS = """\
apiVersion: v1
kind: Secret
metadata: {name: conf}
data: {kept: a2VwdA==}
stringData: {token: good}
"""


async def test_value_that_is_called_status_is_mended() -> None:
    """Only the status of an object is not the chart's business."""
    async with operator_test(operator(chart({"a.yaml": STATUS}))) as test:
        await test.client.create(shop())
        await test.settled()

        await test.client.patch(ConfigMap, "conf", {"data": {"status": "bad"}})
        await test.settled()

        assert (await test.client.get(ConfigMap, "conf"))["data"] == {"status": "good"}


async def test_secret_that_is_written_as_text_is_mended() -> None:
    """The server shows it in ``data`` only."""
    async with operator_test(operator(chart({"a.yaml": TEXTS}))) as test:
        await test.client.create(shop())
        await test.settled()

        await test.client.patch(Secret, "conf", {"data": {"token": "YmFk"}})
        await test.settled()

        found = (await test.client.get(Secret, "conf"))["data"]
        assert found == {"kept": "a2VwdA==", "token": "Z29vZA=="}


@pytest.mark.parametrize(
    "obj",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "stringData": {"a": "b"}},
        {"apiVersion": "v1", "kind": "Secret", "stringData": {"a": 1}},
        {"apiVersion": "v1", "kind": "Secret", "stringData": "a"},
        {"apiVersion": "v1", "kind": "Secret", "stringData": {"a": "b"}, "data": "c"},
    ],
)
def test_what_is_no_text_of_a_secret_stays(obj: dict[str, object]) -> None:
    """The server says what is wrong with it."""
    assert with_encoded_texts(obj) == obj


def test_comparison_is_of_what_is_wanted() -> None:
    """Defaults, fields of others, and the status do not count."""
    live = {"status": {"a": 1}, "spec": {"status": 2, "more": 3}}

    assert projected(live, {"status": {"a": 0}, "spec": {"status": 1}}) == {"spec": {"status": 2}}


def test_kept_object_gets_no_owner() -> None:
    """Whether the chart or a person has said so."""
    body = ConfigMap(metadata={"name": "a", "ownerReferences": [{"uid": "1"}]})
    live = ConfigMap(metadata={"annotations": {"helm.sh/resource-policy": "keep"}})

    assert "ownerReferences" not in beside(body, live)["metadata"]
    assert beside(body, None) is body


def test_body_names_the_object_that_was_seen() -> None:
    """So another one of the name is not changed."""
    body = kw.Unstructured(metadata={"name": "a"})

    assert of_uid(body, ConfigMap(metadata={"uid": "1"}))["metadata"]["uid"] == "1"
    assert of_uid(body, None) is body


def test_patches_are_put_together() -> None:
    """What is dropped, and what is wanted."""
    assert together({"a": {"b": None}, "c": None}, {"a": {"d": 1}}) == {
        "a": {"b": None, "d": 1},
        "c": None,
    }


def test_what_is_left_out_is_taken_away() -> None:
    """At any depth; a list is written as a whole anyway."""
    old = {"a": {"b": 1, "c": {"d": 2}, "e": 3}, "f": [1], "g": {"h": 1}}
    new = {"a": {"b": 2, "c": {}}, "f": [], "g": "text"}

    assert removed(old, new) == {"a": {"c": {"d": None}, "e": None}}


def test_patch_is_made_of_what_was_wanted_before_and_what_is_wanted_now() -> None:
    """A status is not the chart's, and finalizers are not its alone."""
    before = {
        "metadata": {"name": "a", "namespace": "b", "labels": {"old": "1"}, "finalizers": ["x"]},
        "spec": {"old": 1},
        "status": {"a": 1},
    }
    wanted = {"metadata": {"name": "a", "labels": {"new": "1"}}, "spec": {"new": 1}}

    assert three_way(before, wanted) == {
        "metadata": {"name": "a", "labels": {"old": None, "new": "1"}},
        "spec": {"old": None, "new": 1},
    }
    assert three_way({}, wanted) == wanted

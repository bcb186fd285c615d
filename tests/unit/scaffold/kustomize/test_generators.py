"""ConfigMaps and Secrets made of literals and files."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import Generator, GeneratorOptions
from kubewright.scaffold.kustomize.generators import absorb, generated
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import Resource

FILES = {
    "app.env": "\ufeffA=1\r\n# comment\n  B = 2\n\nALONE\n",
    "dir/text.txt": "some\ntext\n",
    "bytes": "\udcff\udcfe",
}


def made(kind: str = "ConfigMap", **said: Any) -> Resource:
    """Return what is generated."""
    generator = Generator(name=said.pop("name", "a"), **said)
    return generated(
        kind, generator, GeneratorOptions(labels={"of": "all"}), read=FILES.__getitem__
    )


def test_data_comes_from_environments_literals_and_files() -> None:
    """Each of them, with names of their own or those of the files."""
    found = made(envs=["app.env"], literals=["c='d=e'"], files=["dir/text.txt", "x=dir/text.txt"])

    assert found.finished()["data"] == {
        "A": "1",
        "ALONE": "",
        "B ": " 2",
        "c": "d=e",
        "text.txt": "some\ntext\n",
        "x": "some\ntext\n",
    }


def test_what_is_no_text_goes_into_binary_data() -> None:
    """JSON has texts only."""
    assert made(files=["bytes"]).finished()["binaryData"] == {"bytes": "//4="}
    assert made("Secret", files=["bytes"]).finished()["data"] == {"bytes": "//4="}


def test_long_secrets_are_written_in_lines() -> None:
    """So kustomize writes them, and the hash depends on it."""
    lines = made("Secret", literals=[f"a={'x' * 60}"]).finished()["data"]["a"].split("\n")

    assert [len(line) for line in lines] == [70, 10, 0]


def test_options_of_one_win_over_those_of_all() -> None:
    """The general ones are defaults."""
    options = GeneratorOptions(labels={"of": "one"}, immutable=True, disable_name_suffix_hash=True)

    found = made(options=options, type="x", namespace="shop")

    assert found.labels == {"of": "one"}
    assert found.finished()["immutable"] is True
    assert not found.needs_hash
    assert found.namespace == "shop"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"name": ""}, "name is missing"),
        ({"literals": ["a"]}, "the literal 'a' should be NAME=VALUE"),
        ({"literals": ["=a"]}, "the literal '=a' should be NAME=VALUE"),
        ({"files": ["=bytes"]}, "the file '=bytes' should be PATH or NAME=PATH"),
        ({"files": ["a=b=c"]}, "the file 'a=b=c' should be PATH or NAME=PATH"),
        ({"literals": ["a=b", "a=c"]}, "'a' is there twice; keep one of them"),
    ],
)
def test_malformed_sources_are_refused(said: dict[str, Any], why: str) -> None:
    """They would become empty values."""
    with pytest.raises(ProblemError) as caught:
        made(**said)

    assert str(caught.value) == why


def test_generated_data_is_merged_into_what_is_there() -> None:
    """An overlay changes one setting of many; name and history are those of the old one."""
    old = made(literals=["a=1", "b=1"])
    old.remember()
    old.rename("x-a")
    found = Collection([old])

    absorb(found, made(literals=["b=2", "c=2"], behavior="merge"))
    (merged,) = found

    assert merged.name == "x-a"
    assert merged.finished()["data"] == {"a": "1", "b": "2", "c": "2"}


def test_generated_data_replaces_what_is_there() -> None:
    """Then nothing of the old is left but its name."""
    found = Collection([made(literals=["a=1"])])

    absorb(found, made(literals=["b=2"], behavior="replace"))

    assert [one.finished()["data"] for one in found] == [{"b": "2"}]


@pytest.mark.parametrize(
    ("there", "behavior", "why"),
    [
        (True, "", "ConfigMap.v1 a is there already; set behavior: merge or replace, or another"),
        (False, "merge", "there is no ConfigMap.v1 a to merge; remove the behavior, or mend the"),
    ],
)
def test_a_behavior_that_does_not_fit_is_refused(there: bool, behavior: str, why: str) -> None:
    """Somebody expected another base."""
    found = Collection([made()] if there else [])

    with pytest.raises(ProblemError) as caught:
        absorb(found, made(behavior=behavior))

    assert str(caught.value) == f"{why} name"

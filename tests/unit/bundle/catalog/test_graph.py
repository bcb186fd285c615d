"""The upgrades of a channel."""

from typing import Any

import pytest

from kubewright.bundle.catalog.graph import check_graph
from kubewright.bundle.document import Document
from kubewright.bundle.semver import Version


def said(*entries: dict[str, Any]) -> list[str]:
    """Return what is wrong with a channel with *entries*."""
    versions = {str(one.get("name")): Version.find(str(one.get("name"))) for one in entries}
    channel = Document("c", {"name": "stable", "entries": list(entries)})
    return [one.message for one in check_graph(channel, versions)]


def test_a_chain_is_sound() -> None:
    """So are versions that are skipped, and the end of a chain that is not in the channel."""
    assert said({"name": "c", "replaces": "b"}, {"name": "b", "replaces": "a"}, {"name": "a"}) == []
    assert said({"name": "c", "replaces": "a", "skips": ["b"]}, {"name": "b"}, {"name": "a"}) == []
    assert said({"name": "c", "replaces": "gone"}) == []
    assert said({"name": "1.2.0", "skipRange": ">=1.0.0 <1.2.0"}) == []


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([], "the channel stable has no entries"),
        ([{"name": "a"}, {"name": "b"}], "replaces or skips, and has 2: a, b"),
        ([{"name": "a"}, {"name": "a"}], "the entry a is there twice"),
        ([{"name": "a", "replaces": "b"}, {"name": "b", "replaces": "a"}],
         "a replaces itself, by way of b"),
        ([{"name": "a", "replaces": "a"}], "a replaces itself, by way of nothing else"),
        ([{"name": "a", "skipRange": "old"}], "skipRange: 'old' is not a range"),
        ([{"name": "1.2.0", "skipRange": "<=1.2.0"}], "the skipRange of 1.2.0 contains 1.2.0"),
        ([{"name": "c", "skips": ["b"]}, {"name": "b", "replaces": "a"}, {"name": "a"}],
         "no upgrade leads from a to c"),
    ],
)  # fmt: skip
def test_a_graph_that_loses_somebody_is_found(entries: list[dict[str, Any]], message: str) -> None:
    """Their operator stays old for ever, without a word."""
    assert any(message in one for one in said(*entries))

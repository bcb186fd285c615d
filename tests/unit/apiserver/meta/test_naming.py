"""Rules for names, labels and annotations."""

from collections.abc import Callable

import pytest

from kubewright.apiserver.meta import naming


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (
            naming.dns_label,
            ["a", "a-1", "9", "a" * 63],
            ["", "A", "a.b", "-a", "a-", "é", "a" * 64],
        ),
        (naming.dns_label_1035, ["a", "a-1"], ["", "9", "1a", "a.b", "a\n", "a" * 64]),
        (naming.dns_subdomain, ["a", "a.b", "1.2"], ["", "a..b", "a_b", "a\n", "a" * 254]),
        (naming.path_segment, ["a", "A:b", "é", "..."], [".", "..", "a/b", "a%b"]),
        (
            naming.qualified_name,
            ["a", "A_b.c", "example.com/a"],
            ["", "/a", "a/", "a/b/c", "Ex.com/a", "a b", "x" * 64, "a\n"],
        ),
        (naming.label_value, ["", "a", "A_b.c-1"], ["-a", "a b", "é", "a" * 64, "a\n"]),
    ],
)
def test_names_follow_the_rule_of_their_sort(
    rule: Callable[[str], list[str]], good: list[str], bad: list[str]
) -> None:
    """What Kubernetes refuses must not work here, or it breaks on the way to production."""
    assert [value for value in good if rule(value)] == []
    assert [value for value in bad if not rule(value)] == []


def test_the_texts_are_those_of_kubernetes() -> None:
    """Tests of operators match on them."""
    assert naming.dns_label("a.b") == ["must not contain dots"]
    assert naming.dns_label("x" * 64) == ["must be no more than 63 characters"]
    assert naming.label_value("x" * 64) == ["must be no more than 63 bytes"]
    assert naming.path_segment("..") == ["may not be '..'"]
    assert naming.qualified_name("/a")[0] == "prefix part must be non-empty"
    assert naming.qualified_name("a/")[0] == "name part must be non-empty"


def test_a_bad_label_is_named_by_its_key_or_value() -> None:
    """The path is that of the map, and the value says which entry."""
    texts = [str(error) for error in naming.labels({"a b": "ok", "ok": "no!"}, "metadata.labels")]

    assert texts[0].startswith('metadata.labels: Invalid value: "a b": name part must consist')
    assert texts[1].startswith('metadata.labels: Invalid value: "no!": a valid label must be')


def test_annotations_are_limited_in_bytes_not_in_letters() -> None:
    """A text of many two-byte letters takes as much room as it takes."""
    half = naming.ANNOTATIONS_LIMIT // 2

    assert naming.annotations({"a": "é" * (half - 1)}, "p") == []
    assert [str(error) for error in naming.annotations({"a": "é" * half}, "p")] == [
        "p: Too long: may not be more than 262144 bytes"
    ]


def test_keys_of_annotations_may_have_capitals_in_their_prefix() -> None:
    """Kubernetes compares them in lower case."""
    assert naming.annotations({"Example.com/A": ""}, "p") == []
    assert naming.annotations({"a b": ""}, "p")

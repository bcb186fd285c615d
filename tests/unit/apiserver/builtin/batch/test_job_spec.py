"""The spec of jobs."""

import re
from typing import Any

import pytest

from kubewright.apiserver.builtin.batch.job_spec import count_indexes, validate_job_spec
from tests.unit.apiserver.builtin.batch.test_jobs import TEMPLATE
from tests.unit.apiserver.builtin.workload_samples import Obj

MANY = 100_000


def indexed(**spec: Any) -> Obj:
    return {"completionMode": "Indexed", "completions": 2 * MANY, "backoffLimitPerIndex": 1, **spec}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            indexed(),
            [
                (
                    "s.maxFailedIndexes: Required value: must be specified when completions is"
                    " above 100000"
                )
            ],
        ),
        (
            indexed(maxFailedIndexes=20_000, parallelism=20_000),
            [
                (
                    f"s.{name}: Invalid value: 20000: must be less than or equal to 10000 when"
                    " completions are above 100000 and used with backoff limit per index"
                )
                for name in ("parallelism", "maxFailedIndexes")
            ],
        ),
        (
            {"completionMode": "NonIndexed", "managedBy": "me"},
            [
                (
                    's.managedBy: Invalid value: "me": must be a domain-prefixed path (such as'
                    ' "acme.io/foo")'
                )
            ],
        ),
        (
            {"completionMode": "NonIndexed", "successPolicy": {}},
            ["s.successPolicy: Invalid value: {}: requires indexed completion mode"],
        ),
    ],
)
def test_a_wrong_spec_is_refused(spec: Any, expected: list[str]) -> None:
    """Very large jobs have limits of their own."""
    texts = [str(error) for error in validate_job_spec({"template": TEMPLATE, **spec}, "s")]

    assert [text for text in texts if "template" not in text] == expected


def test_indexes_are_counted() -> None:
    """A range counts both of its ends."""
    assert count_indexes("0,2-4", 5) == 4
    assert count_indexes("", 5) == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("5", 'too large index: "5"'),
        ("9" * 30, f'too large index: "{"9" * 30}"'),
        ("a", 'cannot convert string to integer for index: "a"'),
        ("2,1", "non-increasing order, previous: 2, current: 1"),
        ("1-2-3", 'the fragment "1-2-3" violates the requirement that an index interval'),
    ],
)
def test_bad_indexes_say_what_is_wrong(text: str, problem: str) -> None:
    """The messages are those of Kubernetes."""
    with pytest.raises(ValueError, match=re.escape(problem)):
        count_indexes(text, 5)

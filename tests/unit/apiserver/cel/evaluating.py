"""Evaluates expressions, in few words."""

from typing import Any

import pytest

from kubewright.apiserver.cel import celtype
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule


def result(source: str, **values: Any) -> Any:
    """Return the value of *source*; variables are of any type."""
    return compile_rule(source, dict.fromkeys(values, celtype.DYN), result=None).evaluate(values)


def problem(source: str, **values: Any) -> str:
    """Return the text of the error that evaluating *source* ends with."""
    with pytest.raises(EvaluationError) as error:
        result(source, **values)
    return str(error.value)

"""Problems on their way to an error that names the file."""

import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize.problem import ProblemError, telling, within


def test_an_error_names_file_line_and_field() -> None:
    """Whoever reads it opens the right file at the right line."""
    with pytest.raises(ConfigError) as caught, telling("a.yaml"), within("patches[0]"):
        raise ProblemError("it is wrong", line=3)

    assert str(caught.value) == "a.yaml: patches[0], line 3: it is wrong"


def test_an_error_of_a_file_below_keeps_its_place() -> None:
    """The outer file is not where the mistake is."""
    with pytest.raises(ConfigError) as caught, telling("outer.yaml"), telling("inner.yaml"):
        raise ProblemError("it is wrong")

    assert str(caught.value) == "inner.yaml: it is wrong"


def test_nothing_is_put_before_a_problem_without_a_place() -> None:
    """An inline patch has no file to name."""
    with pytest.raises(ProblemError) as caught, within(""):
        raise ProblemError("it is wrong", line=2)

    assert str(caught.value) == "line 2: it is wrong"

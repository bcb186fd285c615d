"""Semantic versions in expressions."""

import pytest

from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule


@pytest.mark.parametrize(
    "source",
    [
        "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.2.3+a') == semver('1.2.3+b')",
        "semver('1.2.3-alpha.2').compareTo(semver('1.2.3-alpha.10')) == -1",
        "semver('1.2.3-alpha').isLessThan(semver('1.2.3')) && semver('v1.2', true).minor() == 2",
        "isSemver('1.2.3-rc.1+build') && !isSemver('1.2') && isSemver('01.2', true)",
    ],
)
def test_claims_about_versions_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert compile_rule(source, {}).evaluate({}) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("semver('1.2')", "No Major.Minor.Patch elements found"),
        ("semver('01.2.3')", 'Major number must not contain leading zeroes "01"'),
    ],
)
def test_what_is_no_such_value_is_refused(source: str, text: str) -> None:
    """The texts are the server's."""
    with pytest.raises(EvaluationError) as caught:
        compile_rule(source, {}, result=None).evaluate({})

    assert text in str(caught.value)

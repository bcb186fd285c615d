import pytest

from kubewright.apiserver.builtin.certificates.signers import signer_name


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("example.com/a", ""),
        ("", "Required value"),
        ("kubernetes.io/legacy-unknown", "the legacy signerName is not allowed"),
        ("example.com", "must be a fully qualified domain and path"),
        ("example.com/a/b", "must be a fully qualified domain and path"),
        ("example/a", "should be a domain with at least two segments"),
        ("Example.com/a", 'validating label "Example": '),
    ],
)
def test_a_signer_is_named_after_a_domain(name: str, problem: str) -> None:
    """Otherwise two vendors could sign under one name."""
    found = signer_name(name, "spec.signerName")

    assert bool(found) is bool(problem)
    assert problem in "".join(map(str, found))

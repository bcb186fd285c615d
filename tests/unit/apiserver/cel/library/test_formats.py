"""Named formats in expressions."""

import pytest

from kubewright.apiserver.cel.program import compile_rule


@pytest.mark.parametrize(
    "source",
    [
        "!format.dns1123Label().validate('abc').hasValue()",
        "format.dns1123Label().validate('A_b').value().size() == 1",
        "format.named('uuid').hasValue() && !format.named('nope').hasValue()",
        "format.uuid().validate('abc').value() == ['does not match the UUID format']",
        "!format.dns1123LabelPrefix().validate('abc-').hasValue()",
        "!format.date().validate('2020-01-01').hasValue()",
        "format.byte().validate('!').hasValue()",
    ],
)
def test_claims_about_formats_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert compile_rule(source, {}).evaluate({}) is True

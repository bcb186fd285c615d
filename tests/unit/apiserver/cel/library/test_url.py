"""URLs in expressions."""

import pytest

from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule

URL = "URL parse error during conversion from string: parse "


@pytest.mark.parametrize(
    "source",
    [
        "url('https://user@example.com:8080/a?c=d').getHost() == 'example.com:8080'",
        "url('https://[::1]:80/').getHostname() == '::1'",
        "url('https://[::1]:80/').getPort() == '80'",
        "url('https://example.com/a b').getEscapedPath() == '/a%20b'",
        "url('/?b=c&b=d&e').getQuery() == {'b': ['c', 'd'], 'e': ['']}",
        "isURL('https://x') && isURL('/x') && !isURL('x') && !isURL('http://a b/')",
    ],
)
def test_claims_about_urls_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert compile_rule(source, {}).evaluate({}) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("url('../path')", f'{URL}"../path": invalid URI for request'),
        ("url('')", f'{URL}"": empty url'),
        ("url('https://a:b/')", f'{URL}"https://a:b/": invalid port ":b" after host'),
    ],
)
def test_what_is_no_such_value_is_refused(source: str, text: str) -> None:
    """The texts are the server's."""
    with pytest.raises(EvaluationError) as caught:
        compile_rule(source, {}, result=None).evaluate({})

    assert text in str(caught.value)

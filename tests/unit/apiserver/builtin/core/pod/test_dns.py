"""The resolver of a pod."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.dns import validate_dns


@pytest.mark.parametrize(
    ("config", "starts"),
    [
        ({"nameservers": ["10.0.0.1"], "searches": ["a.b", "_x.y.", "."]}, []),
        ({"nameservers": ["10.0.0.1"] * 4}, ["d.nameservers: Invalid value: ["]),
        ({"searches": ["a"] * 33}, ["d.searches: Invalid value: ["]),
        ({"searches": ["a b"]}, ['d.searches[0]: Invalid value: "a b": a lowercase RFC 1123']),
        ({"searches": ["a" * 254]}, ["d.searches[0]: Invalid value:"]),
        ({"options": [{"value": "1"}]}, ["d.options[0]: Required value: must not be empty"]),
    ],
)
def test_a_resolver_has_limits(config: Any, starts: list[str]) -> None:
    """The resolver libraries in containers have the same limits."""
    texts = [str(error) for error in validate_dns(config, "ClusterFirst", "d")]

    assert len(texts) == len(starts)
    assert all(text.startswith(start) for text, start in zip(texts, starts, strict=True))

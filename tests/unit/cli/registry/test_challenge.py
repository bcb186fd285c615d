"""What a registry asks for."""

from kubewright.cli.registry.challenge import Challenge, parse_challenge


def test_headers_of_registries_are_read() -> None:
    """In the spellings that there are."""
    bearer = 'bearer realm="https://a.b/t",service="a.b",scope="repository:x:pull"'

    assert parse_challenge(bearer) == Challenge("bearer", "https://a.b/t", "a.b")
    assert parse_challenge('Basic realm="x"').scheme == "basic"
    assert parse_challenge("") == Challenge("")
    assert parse_challenge("Bearer") == Challenge("bearer")

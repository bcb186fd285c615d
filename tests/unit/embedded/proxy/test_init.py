from kubewright.embedded import proxy


def test_what_others_use_is_there() -> None:
    """The proxy itself, and how webhooks find services."""
    assert proxy.__all__ == sorted(proxy.__all__)
    assert [getattr(proxy, name).__name__ for name in proxy.__all__] == proxy.__all__

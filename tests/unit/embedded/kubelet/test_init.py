from kubewright.embedded import kubelet


def test_what_others_use_is_there() -> None:
    """One for an embedded API server, one for a real one."""
    assert kubelet.__all__ == sorted(kubelet.__all__)
    assert [getattr(kubelet, name).__name__ for name in kubelet.__all__] == kubelet.__all__

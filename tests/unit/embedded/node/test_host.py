from kubewright.embedded.node.host import new_id


def test_no_two_containers_have_one_id() -> None:
    """Sixty-four digits, as runtimes have them."""
    assert len(new_id()) == 64
    assert new_id() != new_id()

from kubewright.apiserver.serving import InProcess


def test_a_server_in_this_process_has_no_address_and_no_certificates() -> None:
    """Discovery then shows an empty address, and nothing is published in kube-system."""
    serving = InProcess()

    assert serving.find_url() is None  # type: ignore[func-returns-value]  # as the others may
    assert serving.find_front_proxy() is None  # type: ignore[func-returns-value]
    assert serving.find_authorities() is None  # type: ignore[func-returns-value]

from kubewright.embedded.kubelet.spdy.error import PROTOCOL_ERROR, SPDYError


def test_an_error_says_what_is_wrong() -> None:
    """The code is for the other side, the text for us."""
    error = SPDYError(PROTOCOL_ERROR, "a frame that is too long")

    assert (error.code, str(error)) == (1, "a frame that is too long")

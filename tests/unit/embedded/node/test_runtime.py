from kubewright.embedded.node import SimulatedRuntime
from kubewright.embedded.node.runtime import ContainerError, Exit, Runtime


def test_an_error_says_what_is_wrong_and_whether_it_was_a_run() -> None:
    """The status shows the reason, and people read the message."""
    error = ContainerError("ErrImagePull", "not found")

    assert str(error) == "not found"
    assert (error.reason, error.ended) == ("ErrImagePull", False)


def test_the_simulated_runtime_is_a_runtime() -> None:
    """What a node is given must fit."""
    runtime: Runtime = SimulatedRuntime()

    assert runtime.version.startswith("simulated://")
    assert not runtime.uses_files
    assert Exit(0) == Exit(0, 0, "")

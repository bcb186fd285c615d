from kubewright._json import loads
from kubewright.client.remote_command import exit_code_of
from kubewright.embedded.kubelet.remote_status import encoded, exited, refused, success
from kubewright.embedded.node.access import AccessError
from kubewright.errors import Status


def test_an_exit_code_is_said_as_kubernetes_says_it() -> None:
    """From there kubectl takes it, and returns it itself."""
    status = exited(["sh", "-c", "exit 3"], 3)

    assert (status["status"], status["reason"]) == ("Failure", "NonZeroExitCode")
    assert status["details"] == {"causes": [{"reason": "ExitCode", "message": "3"}]}
    assert exited(["true"], 0) == success() == {"metadata": {}, "status": "Success"}
    assert exit_code_of(Status(status="Success")) == 0


def test_what_could_not_be_run_is_no_exit_code() -> None:
    """It is the message that people read."""
    missing = refused(AccessError(404, 'container "x" not found'))
    broken = refused(AccessError(500, "no such program"))

    assert (missing["reason"], missing["message"]) == ("NotFound", 'container "x" not found')
    assert (broken["reason"], broken["code"]) == ("InternalError", 500)
    assert broken["message"] == "Internal error occurred: no such program"


def test_old_protocols_know_only_a_text() -> None:
    """And nothing at all after a success."""
    failure = refused(AccessError(400, "no"))

    assert loads(encoded(failure, "v4.channel.k8s.io"))["message"] == "no"
    assert loads(encoded(success(), "v5.channel.k8s.io"))["status"] == "Success"
    assert encoded(failure, "channel.k8s.io") == b"no"
    assert encoded(success(), "") == b""

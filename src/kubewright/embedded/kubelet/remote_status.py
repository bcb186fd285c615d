"""How a command ended, as the error channel carries it."""

from collections.abc import Sequence
from typing import Any

from kubewright import _json
from kubewright.embedded.node.access import AccessError

RemoteStatus = dict[str, Any]
"""A ``Status`` of Kubernetes, as a tree."""

_REASONS = {400: "BadRequest", 404: "NotFound"}


def success() -> RemoteStatus:
    """Return the status of a command that succeeded."""
    return {"metadata": {}, "status": "Success"}


def exited(command: Sequence[str], code: int) -> RemoteStatus:
    """Return the status of a command that ended with *code*."""
    if code == 0:
        return success()
    said = f"error executing command [{' '.join(command)}], exit code {code}"
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: {said}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }


def refused(error: AccessError) -> RemoteStatus:
    """Return the status of a command that could not be run at all."""
    code = error.code if error.code in _REASONS else 500
    message = error.message if code in _REASONS else f"Internal error occurred: {error.message}"
    status: RemoteStatus = {"metadata": {}, "status": "Failure", "message": message}
    status["reason"] = _REASONS.get(code, "InternalError")
    if code not in _REASONS:
        status["details"] = {"causes": [{"message": error.message}]}
    return status | {"code": code}


def encoded(status: RemoteStatus, protocol: str) -> bytes:
    """Return *status* as the error channel of *protocol* carries it: old ones know only a text."""
    if protocol.startswith(("v4.", "v5.")):
        return _json.encode(status)
    return b"" if status["status"] == "Success" else str(status["message"]).encode()

"""A Kubernetes API server in Python: in process, and behind HTTP(S).

It behaves like Kubernetes 1.37 for what operators and their tests do, with nothing to install.
It is for development and tests on one machine.
"""

from typing import TYPE_CHECKING

from kubewright.apiserver.request import Answer, Request, Response, Stream, Upgrade

if TYPE_CHECKING:
    from kubewright.apiserver.authentication.user import UserInfo
    from kubewright.apiserver.server import APIServer

__all__ = ["APIServer", "Answer", "Request", "Response", "Stream", "Upgrade", "UserInfo"]


def __getattr__(name: str) -> object:
    """Load the server when it is asked for: its parts import this package, too."""
    if name == "APIServer":
        from kubewright.apiserver.server import APIServer  # noqa: PLC0415  # see above

        return APIServer
    if name == "UserInfo":
        from kubewright.apiserver.authentication.user import UserInfo  # noqa: PLC0415  # see above

        return UserInfo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The kubeconfig's settings of an exec plugin; `exec_plugin` runs it."""

from typing import Any, Literal

import msgspec

from kubewright.client.redaction import redacted_repr

API_GROUP = "client.authentication.k8s.io"
API_VERSIONS = (f"{API_GROUP}/v1", f"{API_GROUP}/v1beta1")
InteractiveMode = Literal["Never", "IfAvailable", "Always"]


class ExecConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Which program gives the credentials, and how it is called.

    Attributes:
        command: The program: a name to look up in ``PATH``, or a path.
        args: Its arguments.
        env: Variables that it gets besides our own environment.
        api_version: What it speaks: ``client.authentication.k8s.io/v1`` or ``/v1beta1``.
        interactive_mode: Whether it may, or must, talk to the person at the terminal.
        install_hint: What to tell the user when the program is missing.
        provide_cluster_info: Tell it about the cluster, certificate authority included.
        cluster_config: The cluster's settings for plugins; passed on unchanged.
        source: Where this was written, for errors.
        timeout: Seconds that it may run, unless it is interactive. None for no limit.
    """

    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    api_version: str = API_VERSIONS[0]
    interactive_mode: InteractiveMode = "IfAvailable"
    install_hint: str | None = None
    provide_cluster_info: bool = False
    cluster_config: Any = None
    source: str = "the configuration"
    timeout: float | None = 60.0

    def __repr__(self) -> str:
        return redacted_repr(self, secret=("args", "env", "cluster_config"))

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]

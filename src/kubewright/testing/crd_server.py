"""The custom-resource server of a current Kubernetes, beside a real core server."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from kubewright.errors import LifecycleError
from kubewright.testing.assets import get_program
from kubewright.testing.commands import HOST, crd_server_command
from kubewright.testing.envtest import RealServer, _answers
from kubewright.testing.front import Front
from kubewright.testing.ports import free_ports
from kubewright.testing.server import User

__all__ = ["RealCRDServer"]

PROGRAM: str = "apiextensions-apiserver"


class RealCRDServer(RealServer):
    """A `RealServer` whose custom resources are served by ``apiextensions-apiserver``.

    That program is Kubernetes' own code for custom resources, in a version of its own. With it, CEL
    rules, ratcheting or selectable fields are tested against the real implementation even if the
    kube-apiserver is too old for them. Built-in kinds stay with kube-apiserver; one address serves
    both. ``/version`` and ``/openapi`` are those of the newer one.

    Args:
        assets: The folder of the programs, instead of ``$KUBEBUILDER_ASSETS``; its etcd must be
            3.5.16 or newer.
        flags: Further flags of apiextensions-apiserver, such as ``--feature-gates=…``.

    Example:
        with RealCRDServer() as server:
            subprocess.run(["kubectl", "--kubeconfig", server.kubeconfig_file, "get", "crds"])
    """

    def __init__(self, *, assets: Path | None = None, flags: Sequence[str] = ()) -> None:
        super().__init__(assets=assets)
        self._custom_flags = tuple(flags)
        self._front: Front | None = None

    @property
    def core_url(self) -> str:
        """The address of kube-apiserver itself."""
        self._require_started()
        assert self._front is not None
        return self._front.core

    def add_user(self, name: str, groups: Sequence[str] = ()) -> User:
        """Refuse: client certificates do not pass through the common address.

        Raises:
            LifecycleError: Always.
        """
        raise LifecycleError(
            f"cannot add user {name!r}: this server knows admin, reader and nobody only."
            " Impersonate, or use RealServer."
        )

    def stop(self) -> None:
        """Stop the processes, last started first, and remove their files."""
        if self._front is not None:
            self._front.stop()
            self._front = None
        super().stop()

    def _start_once(self) -> None:
        program = get_program(PROGRAM, self._assets)  # first: a missing program is reported at once
        super()._start_once()
        core = self._url
        custom = self._start_custom(program)
        self._front = Front(core, custom, token=self.token, folder=self.folder)
        self._front.start()
        self._url = self._front.url
        self.write_kubeconfig(self.kubeconfig_file)

    def _start_custom(self, program: Path) -> str:
        kubeconfig_file = self.write_kubeconfig(self.folder / "core.kubeconfig")
        (port,) = free_ports(1)
        url = f"https://{HOST}:{port}"
        command = crd_server_command(
            program, self.folder, port=port, etcd_url=self._etcd_url, kubeconfig=kubeconfig_file
        )
        process = self._launch(PROGRAM, [*command, *self._custom_flags])
        self._wait(
            process, partial(_answers, url, "/readyz", user=self.admin, ca_data=self.ca_data)
        )
        return url

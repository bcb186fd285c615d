"""`RunFolder`: the files of the runs for one object, as ansible-runner wants them."""

import json
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kubewright._pki.files import write_private
from kubewright._pki.kubeconfig import credentials, document
from kubewright.ansible.execution.process import Job
from kubewright.ansible.playbook import Playbook
from kubewright.ansible.proxy.grant import Grant
from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.errors import ConfigError

__all__ = ["RunFolder", "default_folder"]

COLLECTIONS: Path = Path(__file__).with_name("collections")
"""The folder with the modules that we bring."""
_USERS_COLLECTIONS = "~/.ansible/collections:/usr/share/ansible/collections"
_USERS_ROLES = "~/.ansible/roles:/usr/share/ansible/roles:/etc/ansible/roles"
_PRIVATE = 0o700
_SECRET = ("kubeconfig", "job.json", "env", "tmp")


def default_folder(name: str, url: str) -> Path:
    """Return where the operator *name* keeps files for the cluster at *url*.

    Raises:
        ConfigError: Somebody else has made a folder of that name.
    """
    place = "".join(one if one.isalnum() else "-" for one in url)[-80:]
    root = Path(tempfile.gettempdir(), f"ansible-operator-{os.getuid()}")
    root.mkdir(mode=_PRIVATE, exist_ok=True)
    found = root.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise ConfigError(f"{root} belongs to somebody else: set TMPDIR to a folder of your own")
    root.chmod(_PRIVATE)
    return root / f"{name}-{place}"


class RunFolder:
    """The files of the runs for one object.

    Args:
        root: The folder for all objects.
        kind: The kind of the object.
        key: Its namespace and name.
    """

    def __init__(self, root: Path, kind: Kind, key: ObjectKey) -> None:
        parts = (kind.group, kind.version, kind.kind, key.namespace, key.name)
        self.path: Path = Path(root, "runner", *(one for one in parts if one))
        """The folder."""

    def write_job(  # noqa: PLR0913  # the parts of a run
        self,
        playbook: Playbook,
        variables: Mapping[str, Any],
        grant: Grant,
        *,
        url: str,
        certificate: bytes,
        python: str,
        ident: str,
        options: Mapping[str, Any],
        arguments: str,
    ) -> Job:
        """Write all that a run needs; what is secret is only for us to read.

        Args:
            playbook: What is run.
            variables: Its variables.
            grant: Its way to the API server.
            url: Where that is.
            certificate: What that shows, in PEM.
            python: The Python that modules are run with.
            ident: The name of the run, unique for the object.
            options: More arguments for ansible-runner.
            arguments: More arguments for ``ansible-playbook``.
        """
        self.remove_secrets()
        self.path.mkdir(parents=True, exist_ok=True)
        self.path.chmod(_PRIVATE)
        for name in ("env", "inventory", "project", "tmp"):
            (self.path / name).mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        authority = self.path / "ca.crt"
        authority.write_bytes(certificate)
        config = document(url, (ident, credentials(token=grant.token)), ca_data=None)
        config["clusters"][0]["cluster"]["certificate-authority"] = str(authority)
        if grant.owner.namespace:
            config["contexts"][0]["context"]["namespace"] = grant.owner.namespace
        self._write("kubeconfig", config)
        self._write("env/extravars", dict(variables))
        if arguments:
            write_private(
                self.path / "env" / "cmdline", shlex.join(shlex.split(arguments)).encode()
            )
        job = {
            "private_data_dir": str(self.path),
            "ident": ident,
            **playbook.arguments,
            **options,
        }
        if "ANSIBLE_INVENTORY" in os.environ:
            job["inventory"] = os.environ["ANSIBLE_INVENTORY"]
        else:
            line = f"localhost ansible_connection=local ansible_python_interpreter={python}\n"
            (self.path / "inventory" / "hosts").write_text(line, "utf-8")
        self._write("job.json", job)
        return Job(self.path / "job.json", self.path, self._environ(playbook))

    def remove_secrets(self) -> None:
        """Remove what the run before has needed, and nobody else should see."""
        for name in _SECRET:
            path = self.path / name
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove all files of the object."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _write(self, name: str, content: Any) -> None:
        write_private(self.path / name, json.dumps(content).encode())

    def _environ(self, playbook: Playbook) -> dict[str, str]:
        environ = dict(os.environ)
        config, tmp = str(self.path / "kubeconfig"), str(self.path / "tmp")
        theirs = environ.get("ANSIBLE_COLLECTIONS_PATH") or _USERS_COLLECTIONS
        found = {
            **environ,
            "K8S_AUTH_KUBECONFIG": config,
            "KUBECONFIG": config,
            "ANSIBLE_LOCAL_TEMP": tmp,
            "ANSIBLE_REMOTE_TEMP": tmp,
            "ANSIBLE_COLLECTIONS_PATH": f"{COLLECTIONS}{os.pathsep}{theirs}",
        }
        if playbook.roles_path is not None:
            theirs = environ.get("ANSIBLE_ROLES_PATH") or _USERS_ROLES
            found["ANSIBLE_ROLES_PATH"] = f"{playbook.roles_path}{os.pathsep}{theirs}"
        return found

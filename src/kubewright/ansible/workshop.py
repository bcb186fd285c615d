"""`Workshop`: what all runs of an operator share; makes one, from its files to its outcome."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from kubewright.ansible.children import Children
from kubewright.ansible.execution.process import Job, Outcome, Runner
from kubewright.ansible.folder import RunFolder
from kubewright.ansible.playbook import Playbook
from kubewright.ansible.progress import Progress
from kubewright.ansible.proxy.grant import Grant
from kubewright.ansible.proxy.owner import Owner
from kubewright.ansible.proxy.proxy import Proxy
from kubewright.ansible.settings import Settings
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.client import Client
from kubewright.controller.run import Run
from kubewright.errors import ConfigError, KubewrightError

__all__ = ["RoleError", "Wanted", "Workshop"]

_SUCCESSFUL = "successful"
_LONGEST = 2000
_MOST_TEXT = 30_000


class RoleError(KubewrightError):
    """A run has failed; the message is what its tasks said.

    Attributes:
        result: The counts of its tasks, if it came to an end.
    """

    def __init__(self, messages: str, result: dict[str, Any] | None = None) -> None:
        self.messages: str = messages
        self.result: dict[str, Any] | None = result
        super().__init__(
            messages, result
        )  # args must rebuild the error: copy() and pickle use them

    def __str__(self) -> str:
        return self.messages


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is run, and how.

    Attributes:
        playbook: The role or playbook.
        variables: Its variables.
        verbosity: How much Ansible prints.
        artifacts: Of how many runs the artifacts are kept.
    """

    playbook: Playbook
    variables: dict[str, Any]
    verbosity: int
    artifacts: int


class Workshop:
    """What all runs of an operator share.

    Args:
        settings: How runs are made.
        runner: Starts their processes.
        proxy: Their way to the API server.
        root: The folder for their files.
    """

    def __init__(self, settings: Settings, runner: Runner, proxy: Proxy, root: Path) -> None:
        self.settings: Settings = settings
        """How runs are made."""
        self._runner = runner
        self._proxy = proxy
        self._root = root

    def folder_of(self, kind: Kind, run: Run) -> RunFolder:
        """Return the folder for the object of *run*."""
        return RunFolder(self._root, kind, run.request.key)

    async def run(
        self, wanted: Wanted, obj: Unstructured, run: Run, children: Children, client: Client
    ) -> Progress:
        """Run what is *wanted* for *obj*, and return what is known about it.

        Raises:
            RoleError: It has failed, or has not ended in time.
        """
        progress = Progress(run.log, self.settings.log_events)
        folder = self.folder_of(Kind(obj.api_version, obj.kind), run)
        grant = self._proxy.grant(
            client, Owner.of(obj), children, inject_owners=self.settings.inject_owners
        )
        try:
            outcome = await self._runner.run(
                self._preparing(wanted, folder, grant, run.id),
                progress.hear,
                deadline=self.settings.deadline or None,
                hold=run.hold,
            )
        except TimeoutError:
            raise _failure(progress, [self._too_late(progress)]) from None
        except (ConfigError, OSError) as error:
            raise _failure(progress, [str(error)]) from error
        finally:
            self._proxy.revoke(grant)
            folder.remove_secrets()
        children.without_own()
        if problems := _problems(progress, outcome):
            raise _failure(progress, problems)
        return progress

    def _preparing(
        self, wanted: Wanted, folder: RunFolder, grant: Grant, ident: str
    ) -> Callable[[], Job]:
        settings = self.settings
        options = {"verbosity": wanted.verbosity, "rotate_artifacts": wanted.artifacts}
        if wanted.playbook.role and os.environ.get("ANSIBLE_GATHERING") == "explicit":
            options["role_skip_facts"] = True
        return lambda: folder.write_job(
            wanted.playbook,
            wanted.variables,
            grant,
            url=self._proxy.url,
            certificate=self._proxy.certificate,
            python=self._runner.python,
            ident=ident,
            options=options,
            arguments=settings.arguments,
        )

    def _too_late(self, progress: Progress) -> str:
        place = f", at the task {progress.task!r}" if progress.task else ""
        return (
            f"the run did not end within its deadline of {self.settings.deadline:g} seconds{place},"
            " and was killed"
        )


def _failure(progress: Progress, messages: list[str]) -> RoleError:
    text = "\n".join(messages)
    if len(text) > _MOST_TEXT:  # it has to fit into an object, whatever else is in that
        text = f"{text[:_MOST_TEXT]}…"
    return RoleError(text, progress.result)


def _problems(progress: Progress, outcome: Outcome) -> list[str]:
    """Return what went wrong; nothing if all is well."""
    if progress.stats is None:
        output = outcome.output[-_LONGEST:] or "nothing was printed"
        return [f"Ansible ended ({outcome.status or 'killed'}) before the playbook did:\n{output}"]
    if progress.has_failed or outcome.status != _SUCCESSFUL:
        return progress.failures or [f"the run is {outcome.status}"]
    return []

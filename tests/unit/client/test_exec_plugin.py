import asyncio
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright._pki.authority import Authority
from kubewright.client.exec_config import API_VERSIONS, ExecConfig
from kubewright.client.exec_plugin import ExecCredentials, _Status
from kubewright.errors import ConfigError, TransportError, TransportTimeoutError

V1, V1BETA1 = API_VERSIONS
ENV = {"PATH": os.environ["PATH"], "OURS": "1"}
SOURCE = "the user 'dev' in /home/me/.kube/config"


class Plugin:
    """A plugin on disk that counts its runs and prints what the test writes into ``answer``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "plugin"
        self.script(f"cat {folder}/answer")
        self.gives(token="one")

    def script(self, body: str) -> None:
        """Have the plugin do *body*."""
        self.path.write_text(
            f"#!/bin/sh\necho run >> {self.folder}/runs\nenv > {self.folder}/env\n{body}\n"
        )
        self.path.chmod(0o755)

    def gives(self, api_version: str = V1, kind: str = "ExecCredential", **status: Any) -> None:
        """Have the plugin print a credential."""
        answer = {"kind": kind, "apiVersion": api_version, "status": status}
        (self.folder / "answer").write_text(json.dumps(answer))

    def prints(self, text: str) -> None:
        """Have the plugin print *text*."""
        (self.folder / "answer").write_text(text)

    @property
    def runs(self) -> int:
        """How often it ran."""
        file = self.folder / "runs"
        return len(file.read_text().splitlines()) if file.exists() else 0

    async def has_started(self) -> None:
        """Wait for its first run to begin."""
        while not self.runs:  # noqa: ASYNC110  # another process tells us, through a file
            await asyncio.sleep(0.005)

    def heard(self, name: str) -> str | None:
        """Return a variable of the plugin's environment in its last run."""
        lines = (self.folder / "env").read_text().splitlines()
        return dict(line.partition("=")[::2] for line in lines).get(name)

    def credentials(
        self, clock: VirtualClock | None = None, *, terminal: bool = False, **config: Any
    ) -> ExecCredentials:
        """Return credentials that run it."""
        settings = {"command": str(self.path), "source": SOURCE, **config}
        return ExecCredentials(
            ExecConfig(**settings),
            clock or VirtualClock(),
            environ=ENV,
            is_terminal=lambda: terminal,
            cluster={"server": "https://api"},
        )


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    """A plugin that gives the token ``one``."""
    return Plugin(tmp_path)


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Return the headers for *token*."""
    return (("Authorization", f"Bearer {token}"),)


async def complaint(credentials: ExecCredentials) -> str:
    """Return what asking for headers complains."""
    with pytest.raises((ConfigError, TransportError)) as caught:
        await credentials.headers()
    return str(caught.value)


def attempt(plugin: Plugin) -> str:
    """Return how each complaint begins."""
    return f"cannot get credentials from the plugin '{plugin.path}' of {SOURCE}: "


@pytest.mark.parametrize("version", API_VERSIONS)
async def test_the_token_is_kept_while_it_has_no_end(plugin: Plugin, version: str) -> None:
    """One run for the life of the process."""
    plugin.gives(version, token="one")
    clock = VirtualClock()
    credentials = plugin.credentials(clock, api_version=version)

    first = await credentials.headers()
    await clock.advance(86400)
    second = await credentials.headers()

    assert first == second == bearer("one")
    assert (plugin.runs, credentials.static) == (1, None)


async def test_an_expired_token_is_replaced(plugin: Plugin) -> None:
    """By the clock, not by the server's refusal."""
    clock = VirtualClock()
    expires = (clock.now() + timedelta(seconds=60)).isoformat()
    plugin.gives(token="one", expirationTimestamp=expires)
    credentials = plugin.credentials(clock)

    await credentials.headers()
    plugin.gives(token="two")
    await clock.advance(60)
    on_time = await credentials.headers()
    await clock.advance(1)
    late = await credentials.headers()

    assert (on_time, late) == (bearer("one"), bearer("two"))


async def test_a_401_runs_the_plugin_once_more(plugin: Plugin) -> None:
    """The token may have been revoked before its time."""
    credentials = plugin.credentials()
    used = await credentials.headers()
    plugin.gives(token="two")

    helps = await credentials.rejected(used)

    assert helps
    assert await credentials.headers() == bearer("two")
    assert plugin.runs == 2


async def test_a_401_for_yesterdays_token_runs_nothing(plugin: Plugin) -> None:
    """Somebody else has refreshed meanwhile; the new token has not been refused."""
    credentials = plugin.credentials()
    used = await credentials.headers()
    plugin.gives(token="two")
    await credentials.rejected(used)

    helps = await credentials.rejected(used)

    assert helps
    assert plugin.runs == 2


async def test_a_401_that_brings_the_same_token_again_is_final(plugin: Plugin) -> None:
    """Trying again with the same would only double the load."""
    credentials = plugin.credentials()
    used = await credentials.headers()

    assert await credentials.rejected(used) is False


async def test_a_plugin_that_fails_after_a_401_leaves_the_401(
    plugin: Plugin, caplog: pytest.LogCaptureFixture
) -> None:
    """As in client-go: the refusal is the answer, and the reason is in the log."""
    credentials = plugin.credentials()
    used = await credentials.headers()
    plugin.script("echo session over >&2; exit 1")

    helps = await credentials.rejected(used)

    assert helps is False
    assert "session over" in caplog.text


async def test_many_callers_share_one_run(plugin: Plugin) -> None:
    """A hundred watches that start together must not log in a hundred times."""
    credentials = plugin.credentials()

    found = await asyncio.gather(*(credentials.headers() for _ in range(20)))

    assert set(found) == {bearer("one")}
    assert plugin.runs == 1


async def test_many_callers_share_one_failure(plugin: Plugin) -> None:
    """A login that fails must not be tried once for each of them."""
    plugin.script("exit 1")
    credentials = plugin.credentials()

    found = await asyncio.gather(
        *(credentials.headers() for _ in range(20)), return_exceptions=True
    )

    assert {type(error) for error in found} == {TransportError}
    assert plugin.runs == 1


async def test_many_401s_share_one_run(plugin: Plugin) -> None:
    """They arrive together when a token is revoked, and with certificates look all the same."""
    credentials = plugin.credentials()
    used = await credentials.headers()
    plugin.gives(token="two")

    found = await asyncio.gather(*(credentials.rejected(used) for _ in range(20)))

    assert all(found)
    assert plugin.runs == 2


async def test_after_a_failure_the_next_caller_tries_again(plugin: Plugin) -> None:
    """The login server may be back."""
    plugin.script("exit 1")
    credentials = plugin.credentials()
    await complaint(credentials)

    plugin.script(f"cat {plugin.folder}/answer")

    assert await credentials.headers() == bearer("one")


async def test_a_cancelled_caller_does_not_cancel_the_others(plugin: Plugin) -> None:
    """Whoever waits next runs the plugin for the rest."""
    fifo = plugin.folder / "gate"
    os.mkfifo(fifo)
    plugin.script(f"cat {fifo} > /dev/null; cat {plugin.folder}/answer")
    credentials = plugin.credentials()
    first = asyncio.create_task(credentials.headers())
    await plugin.has_started()
    second = asyncio.create_task(credentials.headers())

    plugin.script(f"cat {plugin.folder}/answer")
    first.cancel()

    with pytest.raises(asyncio.CancelledError):
        await first
    assert await second == bearer("one")


async def test_the_environment_is_ours_and_the_configured(plugin: Plugin) -> None:
    """AWS_PROFILE of the kubeconfig must reach the program, and so must PATH."""
    credentials = plugin.credentials(env=(("AWS_PROFILE", "dev"), ("OURS", "2")))

    await credentials.headers()

    assert (plugin.heard("AWS_PROFILE"), plugin.heard("OURS")) == ("dev", "2")


@pytest.mark.parametrize(
    ("mode", "terminal", "interactive"),
    [
        ("Never", True, False),
        ("IfAvailable", True, True),
        ("IfAvailable", False, False),
        ("Always", True, True),
    ],
)
async def test_the_plugin_hears_whether_it_may_ask(
    plugin: Plugin, mode: str, *, terminal: bool, interactive: bool
) -> None:
    """``spec.interactive`` says whether somebody can answer."""
    await plugin.credentials(terminal=terminal, interactive_mode=mode).headers()

    assert json.loads(plugin.heard("KUBERNETES_EXEC_INFO") or "") == {
        "kind": "ExecCredential",
        "apiVersion": V1,
        "spec": {"interactive": interactive},
    }


async def test_the_plugin_hears_about_the_cluster_when_it_asks(plugin: Plugin) -> None:
    """Only then: the certificate authority may be long."""
    credentials = plugin.credentials(provide_cluster_info=True, cluster_config={"aud": "x"})

    await credentials.headers()

    spec = json.loads(plugin.heard("KUBERNETES_EXEC_INFO") or "")["spec"]
    assert spec["cluster"] == {"server": "https://api", "config": {"aud": "x"}}


async def test_a_plugin_that_must_ask_needs_a_terminal(plugin: Plugin) -> None:
    """In a pod nobody would ever answer."""
    said = await complaint(plugin.credentials(interactive_mode="Always"))

    assert said == attempt(plugin) + (
        "it must talk to a person (interactiveMode: Always), and standard input is not a terminal."
        " Run it in a terminal, or use another user."
    )
    assert plugin.runs == 0


def certificate(user: str) -> dict[str, str]:
    """Return the status with a client certificate for *user*."""
    pair = Authority().client(user)
    return {
        "clientCertificateData": pair.certificate.decode(),
        "clientKeyData": pair.key.decode(),
    }


async def test_a_client_certificate_is_handed_on(plugin: Plugin) -> None:
    """Without a token there is no header at all."""
    status = certificate("jane")
    plugin.gives(**status)
    credentials = plugin.credentials()
    before = credentials.certificate()

    headers = await credentials.headers()
    after = credentials.certificate()

    assert (before, headers) == (None, ())
    assert after is not None
    assert after.certificate.decode() == status["clientCertificateData"]


async def test_a_401_that_brings_a_new_certificate_is_worth_a_try(plugin: Plugin) -> None:
    """Headers alone would look unchanged."""
    plugin.gives(**certificate("jane"))
    credentials = plugin.credentials()
    used = await credentials.headers()
    plugin.gives(**certificate("joe"))

    assert await credentials.rejected(used)


async def test_a_failing_plugin_is_quoted(plugin: Plugin) -> None:
    """What it says is what the user must read; a retry may succeed, so it is a TransportError."""
    plugin.script("echo 'Error: run `aws sso login`' >&2; exit 255")

    with pytest.raises(TransportError) as caught:
        await plugin.credentials().headers()

    assert str(caught.value) == attempt(plugin) + (
        "it failed with exit code 255. It says:\nError: run `aws sso login`"
    )


async def test_a_silent_failure_says_so(plugin: Plugin) -> None:
    """Otherwise the user would look for the missing half of the message."""
    plugin.script("exit 2")

    assert await complaint(plugin.credentials()) == attempt(plugin) + (
        "it failed with exit code 2, and says nothing on its standard error."
    )


async def test_a_missing_plugin_shows_the_install_hint(plugin: Plugin) -> None:
    """Escape sequences in the hint are disarmed."""
    credentials = plugin.credentials(command="no-such-plugin", install_hint="\x1b[1mbrew install x")

    with pytest.raises(ConfigError) as caught:
        await credentials.headers()

    assert str(caught.value) == (
        f"cannot get credentials from the plugin 'no-such-plugin' of {SOURCE}: there is no such"
        " program. Install it, or put its folder into PATH. See https://kubernetes.io/docs/"
        "reference/access-authn-authz/authentication/#client-go-credential-plugins\n"
        "U+001B[1mbrew install x"
    )


async def test_a_plugin_that_is_not_executable_says_how_to_make_it(plugin: Plugin) -> None:
    """A fresh download often is not."""
    plugin.path.chmod(0o644)

    assert await complaint(plugin.credentials()) == attempt(plugin) + (
        f"the file is not executable. Run `chmod +x {plugin.path}`."
    )


async def test_a_broken_program_cannot_be_started(plugin: Plugin) -> None:
    """A binary for another machine, or a script without its first line."""
    plugin.path.write_bytes(b"\x7fELF nonsense")

    assert "it cannot be started" in await complaint(plugin.credentials())


async def test_a_plugin_that_hangs_is_ended(plugin: Plugin) -> None:
    """An operator must not wait for ever on a login that nobody answers."""
    plugin.script("sleep 600")
    clock = VirtualClock()
    task = asyncio.create_task(plugin.credentials(clock).headers())
    await plugin.has_started()

    await clock.advance(60)
    with pytest.raises(TransportTimeoutError) as caught:
        await task

    assert str(caught.value) == attempt(plugin) + (
        "it gave no answer in 60 s. Run it by hand to see what it waits for."
    )


def credential(**status: Any) -> str:
    """Return an ExecCredential in JSON."""
    return json.dumps({"kind": "ExecCredential", "apiVersion": V1, "status": status})


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        ("", "what it printed is not an ExecCredential in JSON: Input data was truncated."),
        ("hunter2", "what it printed is not an ExecCredential in JSON: "),
        ("[]", "Expected `object`, got `array`"),
        ('{"kind": "Status"}', "it printed the kind 'Status', not 'ExecCredential'."),
        (
            json.dumps({"kind": "ExecCredential", "apiVersion": V1BETA1}),
            f"it printed the apiVersion {V1BETA1!r}, and is configured for {V1!r}. Change",
        ),
        (
            json.dumps({"kind": "ExecCredential", "apiVersion": V1, "status": None}),
            "it printed no credentials: status has neither a token nor clientCertificateData",
        ),
        (credential(token=""), "it printed no credentials"),
        (
            credential(clientKeyData="hunter2"),
            "it printed only one of clientCertificateData and clientKeyData.",
        ),
        (
            credential(clientCertificateData="x", clientKeyData="hunter2"),
            "there is no PEM certificate in it",
        ),
        (
            credential(token="hunter2", expirationTimestamp="tomorrow"),
            "$.status.expirationTimestamp",
        ),
        (credential(token="hunter2\nX-Evil: 1"), "control character"),
    ],
)
async def test_wrong_output_is_explained_and_never_shown(
    plugin: Plugin, printed: str, problem: str
) -> None:
    """It may be the token, and errors end in logs."""
    plugin.prints(printed)

    said = await complaint(plugin.credentials())

    assert problem in said
    assert "hunter2" not in said


async def test_a_flood_is_no_credential(plugin: Plugin) -> None:
    """A program that is not a plugin at all, say `yes`."""
    plugin.script("head -c 3000000 /dev/zero")

    assert "it printed more than a megabyte" in await complaint(plugin.credentials())


async def test_what_a_plugin_gave_is_not_shown(plugin: Plugin) -> None:
    """Not even in a debugger's list of variables, which error trackers send away."""
    plugin.gives(token="s3cr3t")
    credentials = plugin.credentials()

    await credentials.headers()

    assert "s3cr3t" not in repr(credentials._issued)
    assert "s3cr3t" not in repr(_Status(token="s3cr3t"))

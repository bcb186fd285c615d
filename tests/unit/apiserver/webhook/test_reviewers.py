"""A whole server with webhooks; see also tests/conformance/test_auth_webhooks.py."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from kubewright._serve.messages import Response
from kubewright.apiserver.server import APIServer
from kubewright.errors import ConfigError
from tests.unit.apiserver.asking import CORE, MAPS, Told, ask, make
from tests.unit.apiserver.webhook.reviewer import Obj, Reply, reviewer

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"


def knowing(rights: Callable[[Obj], Obj]) -> Callable[[Obj], Reply]:
    """Return a webhook that takes every token for the name of its user."""

    def answer(review: Obj) -> Obj:
        spec = review["spec"]
        if review["kind"] == "TokenReview":
            return {"authenticated": True, "user": {"username": spec["token"]}}
        return rights(spec)

    return answer


async def ask_as_ann(server: APIServer, method: str, path: str, body: Obj | None = None) -> Told:
    """Send a request of a user whom only the webhook knows."""
    return await ask(server, method, path, body, authorization="Bearer ann")


async def test_an_expression_asks_the_webhook_what_users_may_do(tmp_path: Path) -> None:
    """It cannot wait, and so is evaluated again with each answer."""
    asked: list[str] = []

    def rights(spec: Obj) -> Obj:
        attributes = spec["resourceAttributes"]
        asked.append(f"{attributes['verb']} {attributes['resource']}")
        return {"allowed": attributes["verb"] != "fly"}

    checks = (
        "authorizer.group('').resource('birds').check('sing').allowed()"
        " && !authorizer.group('').resource('birds').check('fly').allowed()"
    )
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["configmaps"],
        "operations": ["CREATE"],
    }
    policy = {
        "metadata": {"name": "p"},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": f"!({checks})", "message": "sing, not fly"}],
        },
    }
    binding = {
        "metadata": {"name": "p"},
        "spec": {"policyName": "p", "validationActions": ["Deny"]},
    }
    async with reviewer(knowing(rights)) as hook:
        file = hook.write(tmp_path)
        async with APIServer(authorization_webhook=file, authentication_webhook=file) as server:
            await make(server, f"{REGISTRATION}/validatingadmissionpolicies", policy)
            await make(server, f"{REGISTRATION}/validatingadmissionpolicybindings", binding)
            refused = await ask_as_ann(server, "POST", MAPS, {"metadata": {"name": "a"}})

    assert refused.status == 422
    assert "sing, not fly" in refused.message
    assert asked == ["create configmaps", "sing birds", "fly birds"]


async def test_a_webhook_for_tokens_that_fails_lets_nobody_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The administrator finds the reason in the log, and the client learns nothing."""
    async with reviewer(lambda _: Response(404)) as hook:
        file = hook.write(tmp_path)
        async with APIServer(authentication_webhook=file) as server:
            refused = await ask_as_ann(server, "GET", MAPS)

    assert (refused.status, refused.message) == (401, "Unauthorized")
    assert "authentication webhook failed" in caplog.text


async def test_requests_of_others_do_not_wait_for_a_webhook(tmp_path: Path) -> None:
    """A slow webhook is a problem of those whom it is asked about."""
    asked = asyncio.Event()

    async def hang(review: Obj) -> Reply:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with reviewer(hang) as hook:
        file = hook.write(tmp_path)
        async with APIServer(authentication_webhook=file) as server:
            waiting = asyncio.create_task(ask_as_ann(server, "GET", MAPS))
            await asked.wait()

            assert (await ask(server, "GET", CORE)).status == 200
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting


def test_a_bad_file_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    """The data folder has a lock, which nobody would release."""
    missing, data = tmp_path / "no.yaml", tmp_path / "data"

    with pytest.raises(ConfigError, match=r"webhook config file .*no\.yaml: No such file"):
        APIServer(data_dir=data, authorization_webhook=missing)
    with pytest.raises(ConfigError, match=r"webhook config file .*no\.yaml: No such file"):
        APIServer(data_dir=data, authentication_webhook=missing)

    assert not data.exists()

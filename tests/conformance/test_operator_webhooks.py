"""The webhooks of an operator as a server calls them, over TLS; each server is one of its own.

Webhooks are about a whole cluster, and those for authentication and authorization are configured
when a server starts.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import kubewright as kw
from kubewright._pki import kubeconfig
from kubewright._pki.authority import Authority
from kubewright.kinds.core.v1 import ConfigMap, Container, Pod, PodSpec, Secret
from kubewright.testing import EmbeddedServer, RealServer, User, operator_on
from kubewright.testing.ports import free_ports
from kubewright.webhook import AccessReview, Decision, TokenRequest, WebhookServer
from kubewright.webhook.certificates.mounted import MountedCertificate
from tests.conformance.wire import Wire

pytestmark = pytest.mark.timeout(120)

HOST = "127.0.0.1"
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module")
def make_server(pytestconfig: pytest.Config) -> type[EmbeddedServer | RealServer]:
    """The kind of server under test."""
    choice = pytestconfig.getoption("--server")
    if choice not in {"embedded", "real"}:
        pytest.skip("the webhooks are about all of a cluster, or configured when it starts")
    return RealServer if choice == "real" else EmbeddedServer


@pytest.fixture(scope="module")
def own(make_server: type[EmbeddedServer | RealServer]) -> Iterator[EmbeddedServer | RealServer]:
    """A server for the tests about admission."""
    with make_server() as started:
        yield started


class Guard:
    """An operator with webhooks for kinds of others, and what it was asked."""

    def __init__(self) -> None:
        self.operator = kw.Operator("guard")
        self.seen: list[tuple[str, str, bool, str]] = []
        self.hanging = asyncio.Event()
        settings = kw.Kind("v1", "ConfigMap")

        @self.operator.validator(settings, on=["create", "update", "delete"])
        def check(obj: kw.Unstructured, ctx: kw.AdmissionContext[kw.Unstructured]) -> None:
            before = "" if ctx.old is None else ctx.old["data"]["size"]
            self.seen.append((ctx.operation, obj.name, ctx.dry_run, before))
            if obj["data"]["size"] == "wrong":
                ctx.refuse("data.size", "must be a number")
                ctx.refuse("data.color", "is needed", reason="Required")
            ctx.warn("settings are deprecated")

        @self.operator.defaulter(Pod)
        def set_defaults(pod: Pod) -> None:
            pod.metadata.labels.setdefault("team", "unknown")

        @self.operator.validator(Secret, on=["delete"], failure_policy="Fail", timeout_seconds=1)
        async def protect(secret: Secret, ctx: kw.AdmissionContext[Secret]) -> None:
            if secret.metadata.name == "hanging":
                await self.hanging.wait()
            if ctx.user.username == "admin" and secret.metadata.name == "kept":
                raise kw.AdmissionDeniedError("it is needed", code=409, reason="Conflict")
            raise RuntimeError("nobody expected that name")


@contextlib.asynccontextmanager
async def guarded(server: EmbeddedServer | RealServer) -> AsyncIterator[tuple[Guard, kw.Client]]:
    """Run the operator on *server*, and yield it with a client."""
    guard = Guard()
    async with operator_on(server, guard.operator) as client:
        yield guard, client


def settings(name: str, size: str) -> ConfigMap:
    """Return an object that the validator looks at."""
    return ConfigMap(metadata=kw.ObjectMeta(name=name, namespace="default"), data={"size": size})


async def test_a_validator_sees_each_operation_with_the_object_before_it(
    own: EmbeddedServer | RealServer,
) -> None:
    """Whether it is a dry run, too: then nothing else may be changed."""
    async with guarded(own) as (guard, client):
        made = await client.create(settings("steps", "1"))
        await client.create(settings("rehearsed", "1"), dry_run=True)
        made.data["size"] = "2"
        await client.update(made)
        await client.delete(made)

        assert guard.seen == [
            ("create", "steps", False, ""),
            ("create", "rehearsed", True, ""),
            ("update", "steps", False, "1"),
            ("delete", "steps", False, "2"),
        ]


async def test_all_fields_that_are_refused_are_causes_of_the_status(
    own: EmbeddedServer | RealServer,
) -> None:
    """So that kubectl prints them as it prints the errors of a schema."""
    async with guarded(own) as (_, client):
        with pytest.raises(kw.InvalidError) as refused:
            await client.create(settings("bad", "wrong"))

        assert [(cause.field, cause.message) for cause in refused.value.causes] == [
            ("data.size", 'Invalid value: "wrong": must be a number'),
            ("data.color", "Required value: is needed"),
        ]


async def test_a_warning_is_in_a_header(own: EmbeddedServer | RealServer) -> None:
    """From where kubectl prints it."""
    async with guarded(own):
        wire = Wire(own, own.admin)
        with contextlib.closing(wire):
            body = {"metadata": {"name": "warned"}, "data": {"size": "1"}}
            answer = await asyncio.to_thread(wire.post, CONFIGMAPS, body)

        answer.ok(201)
        assert "settings are deprecated" in answer.headers.get("warning", "")


async def test_a_defaulter_keeps_the_fields_that_it_does_not_know(
    own: EmbeddedServer | RealServer,
) -> None:
    """The patch is for what was sent, not for what a class knows of it."""
    async with guarded(own) as (_, client):
        spec = PodSpec(containers=[Container(name="main", image="busybox")])
        pod = Pod(
            metadata=kw.ObjectMeta(name="web", namespace="default", labels={"app": "web"}),
            spec=spec,
        )
        await client.apply(kw.Unstructured(account("default")), field_owner="test")

        made = await client.create(pod)

        assert made.metadata.labels == {"app": "web", "team": "unknown"}
        assert made.spec.containers[0].image == "busybox"


def account(name: str) -> dict[str, object]:
    """Return the service account that pods need, which no controller makes here."""
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("kept", kw.ConflictError, "it is needed"),
        ("other", kw.ServerError, "failed: RuntimeError; its log says why"),
        ("hanging", kw.ServerError, "did not answer in time"),
    ],
)
async def test_a_refusal_a_fault_and_a_hanging_function_refuse_the_request(
    own: EmbeddedServer | RealServer, name: str, kind: type[kw.APIError], said: str
) -> None:
    """And the user learns why, but nothing of our code."""
    async with guarded(own) as (_, client):
        secret = Secret(metadata=kw.ObjectMeta(name=name, namespace="default"))
        made = await client.create(secret)

        with pytest.raises(kind, match=said) as refused:
            await client.delete(made)

        assert "Traceback" not in str(refused.value)
        assert ".py" not in str(refused.value)


async def test_a_server_without_its_operator_goes_on(own: EmbeddedServer | RealServer) -> None:
    """A test that shares the server with others must not leave webhooks that nobody answers."""
    async with guarded(own):
        pass

    async with client_of(own) as client:
        made = await client.create(settings("afterwards", "wrong"))
        assert made.data == {"size": "wrong"}


def client_of(server: EmbeddedServer | RealServer) -> kw.Client:
    """Return a client of the administrator."""
    return kw.Client(kw.Config.load(server.kubeconfig_file))


class StallSpec(kw.Model):
    size: int = 1


@kw.resource(group="webhooks.example.com", version="v1")
class Stall(kw.Resource):
    """A stall on a market."""

    spec: StallSpec = kw.field(default_factory=StallSpec)


@kw.resource(group="webhooks.example.com", version="v2", kind="Stall", storage=False)
class NewStall(kw.Resource):
    """A stall in another version."""

    spec: StallSpec = kw.field(default_factory=StallSpec)


def market() -> kw.Operator:
    """Return an operator with a conversion and a validator."""
    operator = kw.Operator("market")
    conversion = operator.conversion(Stall)
    conversion.to_hub(NewStall)(lambda new: Stall(spec=new.spec))
    conversion.from_hub(NewStall)(lambda old: NewStall(spec=old.spec))
    operator.validator(Stall)(lambda stall: None)
    return operator


@pytest.mark.parametrize("owner", ["kubectl", "kubewright", "market"])
async def test_what_was_registered_behind_a_service_is_registered_at_a_url(
    own: EmbeddedServer | RealServer, owner: str
) -> None:
    """A developer takes over what a release has installed; a server refuses to have both."""
    operator = market()
    released = kw.WebhookServing(namespace="default")
    async with client_of(own) as client:
        for document in operator.crds(serve_webhooks=released):
            await client.apply(kw.Unstructured(document), field_owner=owner, force=True)
        for document in operator.webhooks.configurations(released):
            await client.apply(kw.Unstructured(document), field_owner=owner, force=True)

    async with operator_on(own, operator) as client:
        name = f"by-{owner}"
        await client.create(NewStall(metadata=kw.ObjectMeta(name=name, namespace="default")))

        assert (await client.get(Stall, name, namespace="default")).spec.size == 1

        crd = "customresourcedefinitions.apiextensions.k8s.io"
        await client.delete(crd, "stalls.webhooks.example.com")
        await kw.wait_for(client, crd, "stalls.webhooks.example.com", lambda one: one is None)


# --- Who a user is, and what they may do ---

operator = kw.Operator("doorman")


@operator.authenticator()
def authenticate(request: TokenRequest) -> kw.webhook.User | None:
    """Know everybody whose token says so."""
    if not request.token.startswith("i-am-"):
        return None
    name = request.token.removeprefix("i-am-")
    return kw.webhook.User(username=name, groups=["guests"])


@operator.authorizer()
async def authorize(review: AccessReview) -> Decision | bool:
    """Let guests read, and nobody called mallory."""
    if review.user == "mallory":
        return Decision(denied=True, reason="not mallory")
    asked = review.resource_attributes
    return "guests" in review.groups and asked is not None and asked.verb in {"get", "list"}


@contextlib.asynccontextmanager
async def doorman(folder: Path) -> AsyncIterator[tuple[Path, Path]]:
    """Serve both webhooks, and yield the config files of authentication and authorization."""
    authority = Authority("webhook-ca")
    pair = authority.serving(HOST)
    (folder / "tls.crt").write_bytes(pair.certificate)
    (folder / "tls.key").write_bytes(pair.key)
    (port,) = free_ports(1)
    server = WebhookServer(
        operator.webhooks.routes(), certificate=MountedCertificate(folder), host=HOST, port=port
    )
    manager = kw.Manager()
    manager.add(server)
    files = (folder / "authenticate.yaml", folder / "authorize.yaml")
    for file in files:
        target = f"https://{HOST}:{port}/{file.stem}"
        login = ("apiserver", {"token": "of-the-server"})
        kubeconfig.write(file, kubeconfig.document(target, login, ca_data=authority.certificate))
    async with manager:
        yield files


async def test_a_server_asks_an_operator_who_users_are_and_what_they_may_do(
    make_server: type[EmbeddedServer | RealServer], tmp_path: Path
) -> None:
    """Through the two settings of kube-apiserver."""

    def use(authentication: Path, authorization: Path) -> None:
        with make_server(
            authentication_webhook_config=authentication,
            authorization_webhook_config=authorization,
        ) as server:
            codes = {}
            for name in ("alice", "mallory"):
                with contextlib.closing(Wire(server, User(name, token=f"i-am-{name}"))) as wire:
                    codes[name] = [
                        wire.get(CONFIGMAPS).status,
                        wire.post(CONFIGMAPS, {"metadata": {"name": "x"}}).status,
                    ]
            with contextlib.closing(Wire(server, User("x", token="nobody"))) as stranger:
                codes["stranger"] = [stranger.get(CONFIGMAPS).status]

            assert codes == {"alice": [200, 403], "mallory": [403, 403], "stranger": [401]}

    async with doorman(tmp_path) as files:
        await asyncio.to_thread(use, *files)

import json
from collections.abc import Callable
from typing import Any

import pytest

import kubewright as kw
from kubewright._serve.messages import Request, Response
from kubewright.kinds.core.v1 import ConfigMap, Container, Pod, PodSpec
from kubewright.testing import operator_test
from kubewright.webhook import AccessReview, Decision, TokenRequest, User
from tests.unit.operator.world import Mall, Shop, config, shop
from tests.unit.webhook.conversion.shops import ShopV1, ShopV2, v1_to_v2, v2_to_v1

Deployment = kw.Kind("apps/v1", "Deployment")


def allow(obj: Any) -> None:
    """Have nothing against it."""


def pod(name: str = "web", image: str = "nginx") -> Pod:
    """Return a pod as a user would write it."""
    spec = PodSpec(containers=[Container(name="main", image=image)])
    return Pod(metadata=kw.ObjectMeta(name=name), spec=spec)


def deployment(name: str, replicas: int) -> kw.Unstructured:
    """Return a Deployment as a user would write it."""
    labels = {"app": name}
    return Deployment(
        metadata={"name": name, "namespace": "default"},
        spec={
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "nginx"}]},
            },
        },
    )


# --- Declaring ---


def test_a_declared_function_is_still_a_function() -> None:
    """Tests of users call it without any server."""
    operator = kw.Operator("shops")

    def who(asked: TokenRequest) -> User | None:
        return User(username="jane") if asked.token == "t" else None

    assert operator.defaulter(Shop)(allow) is allow
    assert operator.validator(Shop)(allow) is allow
    assert operator.admission(Pod)(allow) is allow
    assert operator.authorizer()(allow) is allow
    assert operator.authenticator()(who)(TokenRequest("t")) == User(username="jane")


def test_each_has_a_path_and_the_operator_knows_the_kinds() -> None:
    """Commands that write manifests, and CRDs, begin here."""
    operator = kw.Operator("shops")
    operator.defaulter(Shop)(allow)
    operator.validator(Mall)(allow)
    operator.admission(Pod, mutating=True)(allow)
    operator.authenticator()(allow)
    operator.authorizer("/may")(allow)

    assert operator.webhooks.paths == [
        "/authenticate",
        "/may",
        "/mutate--v1-pod",
        "/mutate-example-com-v1-shop",
        "/validate-example-com-v1-mall",
    ]
    assert operator.kinds == (Shop, Mall)


def test_webhooks_are_called_on_create_and_update_unless_it_says_otherwise() -> None:
    """Whoever forgets the updates is fooled by the second write."""
    operator = kw.Operator("shops")
    operator.defaulter(Shop)(allow)
    operator.validator(Shop, on=["delete"])(allow)
    operator.admission(Pod, on=iter(("create", "connect")))(allow)

    assert [one.webhook.operations for one in operator.webhooks.admissions] == [
        ("create", "update"),
        ("delete",),
        ("create", "connect"),
    ]


def test_options_say_how_it_is_registered() -> None:
    """All that a webhook configuration can say can be said here."""
    operator = kw.Operator("shops")

    operator.validator(
        Shop,
        name="quota.shops.example.com",
        path="/quota",
        failure_policy="Ignore",
        timeout_seconds=2,
        object_selector={"matchLabels": {"quota": "yes"}},
    )(allow)

    (made,) = operator.webhooks.admissions
    assert (made.path, made.webhook.name) == ("/quota", "quota.shops.example.com")
    assert (made.webhook.failure_policy, made.webhook.timeout_seconds) == ("Ignore", 2)
    assert made.webhook.object_selector == {"matchLabels": {"quota": "yes"}}


# --- Mistakes ---


@pytest.mark.parametrize("name", ["defaulter", "validator", "admission"])
def test_a_decorator_without_parentheses_says_so(name: str) -> None:
    """It is the first thing that everybody forgets."""
    decorator: Callable[..., object] = getattr(kw.Operator("shops"), name)

    with pytest.raises(TypeError, match=rf"allow stands alone .* write @operator\.{name}\(Kind\)"):
        decorator(allow)


@pytest.mark.parametrize("name", ["defaulter", "validator", "admission"])
def test_a_decorator_without_a_kind_says_so(name: str) -> None:
    """Other decorators of the same operator have empty parentheses."""
    decorator: Callable[..., object] = getattr(kw.Operator("shops"), name)

    with pytest.raises(TypeError, match=rf"lacks its kind: write @operator\.{name}\(Kind\)"):
        decorator()
    with pytest.raises(TypeError, match=rf"lacks its kind: write @operator\.{name}\(Kind\)"):
        decorator(on="create")


def test_a_kind_may_be_named() -> None:
    """It is an argument like any other."""
    operator = kw.Operator("shops")

    operator.validator(kind=Shop)(allow)

    assert operator.webhooks.paths == ["/validate-example-com-v1-shop"]


@pytest.mark.parametrize("name", ["defaulter", "validator", "admission"])
def test_an_option_that_there_is_not_is_told_with_those_that_there_are(name: str) -> None:
    """A typing mistake is seen at once, and nobody has to look the options up."""
    decorator: Callable[..., object] = getattr(kw.Operator("shops"), name)

    with pytest.raises(TypeError) as near:
        decorator(Shop, failure_polcy="Ignore")
    with pytest.raises(TypeError) as far:
        decorator(Shop, nonsense=1)

    told = f"operator.{name} has no option 'failure_polcy': did you mean 'failure_policy'?"
    assert str(near.value).startswith(told)
    assert str(far.value).startswith(f"operator.{name} has no option 'nonsense'; its options are")
    assert ("mutating, " in str(near.value)) == (name == "admission")
    assert str(near.value).endswith("object_selector, match_conditions")


@pytest.mark.parametrize("name", ["authenticator", "authorizer"])
def test_a_decorator_of_no_kind_without_parentheses_says_so(name: str) -> None:
    """The function would be taken for its path."""
    decorator: Callable[..., object] = getattr(kw.Operator("shops"), name)

    with pytest.raises(TypeError, match=rf"write @operator\.{name}\(\) with parentheses"):
        decorator(allow)


def test_two_of_one_path_are_refused() -> None:
    """One of them would never be called, and nobody would notice."""
    operator = kw.Operator("shops")
    operator.validator(Shop)(allow)

    with pytest.raises(
        kw.SchemeError, match=r"/validate-example-com-v1-shop: .* another path= and another name="
    ):
        operator.validator(Shop)(allow)
    with pytest.raises(kw.SchemeError, match="another path="):
        operator.authenticator("/validate-example-com-v1-shop")(allow)
    with pytest.raises(kw.SchemeError, match="another name="):
        operator.validator(Shop, path="/other")(allow)

    operator.validator(Shop, path="/other", name="other.shops.example.com")(allow)
    operator.defaulter(Shop)(allow)
    assert len(operator.webhooks.paths) == 3


@pytest.mark.parametrize("path", ["", "authenticate", "/a b", "/a//b"])
def test_a_path_that_cannot_be_served_is_refused(path: str) -> None:
    """API servers would get 404, and let nobody in."""
    with pytest.raises(ValueError, match="no webhook can be served at"):
        kw.Operator("shops").authenticator(path)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"timeout_seconds": 31}, "timeout of 31 s"),
        ({"failure_policy": "Maybe"}, "failure_policy 'Maybe'"),
        ({"name": "shops"}, "domain name of at least three parts"),
        ({"path": "shops"}, "no webhook can be served at 'shops'"),
        ({"on": ["creation"]}, "cannot be called for 'creation'"),
    ],
)
def test_an_option_that_api_servers_refuse_is_refused(options: dict[str, Any], says: str) -> None:
    """Here, at the line that wrote it, and not when it is installed."""
    with pytest.raises(ValueError, match=says):
        kw.Operator("shops").validator(Shop, **options)(allow)


@pytest.mark.parametrize("name", ["defaulter", "validator", "admission"])
def test_a_kind_without_a_version_is_refused(name: str) -> None:
    """Which version the server prefers is not known where manifests are written."""
    decorator: Callable[..., object] = getattr(kw.Operator("shops"), name)

    with pytest.raises(ValueError, match=r"Kind\('deployments\.apps'\) .* no version"):
        decorator(kw.Kind("deployments.apps"))


def test_a_kind_has_one_conversion() -> None:
    """Two would each know a half of its versions."""
    operator = kw.Operator("shops")
    operator.conversion(ShopV1)

    with pytest.raises(kw.SchemeError, match=r"Shop.* has a conversion already"):
        operator.conversion(ShopV1)

    operator.conversion(Mall)
    assert [one.hub for one in operator.conversions] == [ShopV1, Mall]


def test_versions_that_are_converted_are_kinds_of_the_operator() -> None:
    """All of them must be in the CRD, though only one is reconciled."""
    operator = kw.Operator("shops")
    conversion = operator.conversion(ShopV1, keep_lost_fields=True)
    conversion.to_hub(ShopV2)(v2_to_v1)
    conversion.from_hub(ShopV2)(v1_to_v2)

    assert conversion.keeps_lost_fields
    assert operator.kinds == (ShopV1, ShopV2)
    (crd,) = operator.crds()
    assert [one["name"] for one in crd["spec"]["versions"]] == ["v1", "v2"]
    assert crd["spec"]["conversion"]["strategy"] == "Webhook"


# --- End to end ---


async def test_an_api_server_asks_before_it_stores() -> None:
    """This is what all of it is for: defaults, refusals with their fields, and deletes."""
    operator = kw.Operator("shops")

    @operator.defaulter(Shop)
    def fill_in(obj: Shop) -> None:
        obj.spec.size = obj.spec.size or 7

    @operator.validator(Shop, on=["create", "update", "delete"])
    async def check(obj: Shop, ctx: kw.AdmissionContext[Shop]) -> None:
        if ctx.operation == "delete":
            raise kw.AdmissionDeniedError("shops stay")
        if ctx.old is not None and obj.spec.size < ctx.old.spec.size:
            ctx.refuse("spec.size", f"must not shrink below {ctx.old.spec.size}")

    async with operator_test(operator) as test:
        stored = await test.client.create(shop(size=0))
        stored.spec.size = 3
        with pytest.raises(kw.InvalidError, match="must not shrink below 7") as refused:
            await test.client.update(stored)
        with pytest.raises(kw.ForbiddenError, match="shops stay"):
            await test.client.delete(Shop, "corner")

        found = await test.client.get(Shop, "corner")

    assert found.spec.size == 7
    assert [cause.field for cause in refused.value.causes] == ["spec.size"]


async def test_kinds_of_others_are_asked_about_too() -> None:
    """Policies are about pods, and about kinds without a class."""
    operator = kw.Operator("policies")

    @operator.defaulter(Pod, on=["create"])
    def label(obj: Pod) -> None:
        obj.metadata.labels["team"] = "shops"

    @operator.validator(Pod)
    def no_latest(obj: Pod, ctx: kw.AdmissionContext[Pod]) -> None:
        for index, container in enumerate(obj.spec.containers):
            if (container.image or "").endswith(":latest"):
                ctx.refuse(f"spec.containers[{index}].image", "needs a version")

    @operator.defaulter(Deployment)
    def annotate(obj: kw.Unstructured) -> None:
        obj["metadata"].setdefault("annotations", {})["seen"] = "yes"

    @operator.validator(Deployment)
    def not_many(obj: kw.Unstructured, ctx: kw.AdmissionContext[kw.Unstructured]) -> None:
        if obj["spec"]["replicas"] > 3:
            ctx.refuse("spec.replicas", "must be 3 or less")

    async with operator_test(operator) as test:
        made = await test.client.create(pod())
        with pytest.raises(kw.InvalidError, match="needs a version"):
            await test.client.create(pod("new", "nginx:latest"))
        deployed = await test.client.create(deployment("few", 2))
        with pytest.raises(kw.InvalidError, match=r"spec\.replicas: .*must be 3 or less"):
            await test.client.create(deployment("many", 4))

    assert made.metadata.labels["team"] == "shops"
    assert deployed["metadata"]["annotations"]["seen"] == "yes"


async def test_a_function_of_the_request_answers_for_many_kinds() -> None:
    """One policy for all that a group has, however many kinds that is."""
    operator = kw.Operator("policies")
    seen = []

    @operator.admission(ConfigMap, mutating=True, resources=["configmaps", "secrets"])
    def stamp(request: kw.AdmissionRequest) -> kw.AdmissionResponse:
        seen.append((request.operation, request.kind.kind))
        if request.name == "forbidden":
            return kw.AdmissionResponse.refused("not this one")
        return kw.AdmissionResponse(
            patch=[{"op": "add", "path": "/data", "value": {"by": "policy"}}], warnings=["stamped"]
        )

    async with operator_test(operator) as test:
        made = await test.client.create(config(a="1"))
        with pytest.raises(kw.ForbiddenError, match="not this one"):
            await test.client.create(config("forbidden"))

    assert made.data == {"by": "policy"}
    assert seen == [("CREATE", "ConfigMap"), ("CREATE", "ConfigMap")]


async def test_versions_are_converted_by_the_declared_functions() -> None:
    """Whoever still uses the old version sees what the new one wrote."""
    operator = kw.Operator("shops")
    conversion = operator.conversion(ShopV1)
    conversion.to_hub(ShopV2)(v2_to_v1)
    conversion.from_hub(ShopV2)(v1_to_v2)

    async with operator_test(operator) as test:
        new = ShopV2(metadata=kw.ObjectMeta(name="corner"))
        new.spec.area = 9
        await test.client.create(new)

        old = await test.client.get(ShopV1, "corner")

    assert old.spec.size == 9


def review(kind: str, group: str, spec: dict[str, Any]) -> bytes:
    """Return the body of a review as an API server posts it."""
    return json.dumps({"apiVersion": f"{group}/v1", "kind": kind, "spec": spec}).encode()


async def test_logins_and_rights_are_answered() -> None:
    """An API server that is told to asks the operator who somebody is, and what they may do."""
    operator = kw.Operator("shops")

    @operator.authenticator()
    async def who(asked: TokenRequest) -> User | None:
        return User(username="jane", groups=["staff"]) if asked.token == "secret" else None

    @operator.authorizer()
    def may(asked: AccessReview) -> Decision | bool:
        if asked.user == "mallory":
            return Decision(denied=True, reason="never")
        return "staff" in asked.groups

    routes = operator.webhooks.routes()

    async def status(path: str, body: bytes) -> Any:
        headers = {"content-type": "application/json"}
        answer = await routes.handle(Request("POST", path, headers=headers, body=body))
        assert isinstance(answer, Response)
        return json.loads(answer.body)["status"]

    tokens = [
        await status("/authenticate", review("TokenReview", "authentication.k8s.io", {"token": t}))
        for t in ("secret", "guess")
    ]
    rights = [
        await status(
            "/authorize",
            review("SubjectAccessReview", "authorization.k8s.io", {"user": u, "groups": g}),
        )
        for u, g in (("jane", ["staff"]), ("joe", []), ("mallory", ["staff"]))
    ]

    assert tokens == [
        {"authenticated": True, "user": {"username": "jane", "groups": ["staff"]}},
        {"authenticated": False},
    ]
    assert rights == [
        {"allowed": True},
        {"allowed": False},
        {"allowed": False, "denied": True, "reason": "never"},
    ]

from datetime import timedelta

import kubewright as kw
from kubewright._pki.authority import Authority, Period
from kubewright.application.diagnosis.callers import Caller
from kubewright.application.diagnosis.webhooks import (
    Backend,
    judge,
    judge_deadlock,
    judge_declared,
    judge_secret,
    judge_service,
)
from kubewright.kinds.core.v1 import Pod, Service
from tests.unit.application.diagnosis.ward import NOW, installed, made, told

DAY = timedelta(days=1)
AUTHORITY = Authority("a", period=Period(NOW - DAY, NOW + 99 * DAY))
LEAF = AUTHORITY.serving("shop.shops.svc", period=Period(NOW - DAY, NOW + 50 * DAY)).certificate
SERVICE = made(
    Service,
    "metadata: {name: shop, namespace: shops}\nspec: {ports: [{port: 443}]}",
)
CONFIGURATION = "validatingwebhookconfiguration/shop"
MOUNTED = installed(flags="--webhook-cert-path=/certs")
RULE = {"apiGroups": ["example.com"], "operations": ["CREATE"], "resources": ["shops"]}
CALLER = Caller(
    "validatingwebhookconfiguration", "shop", "a.example.com", "/webhooks/0/clientConfig",
    "shop", "shops", 443, "", AUTHORITY.certificate, blocks=True, rules=(RULE,),
)  # fmt: skip
BACKEND = Backend(SERVICE, 1, is_ours=True, secret="certs", leaf=LEAF)  # a name


def test_one_that_is_reached_and_trusted_is_fine() -> None:
    """There is nothing to say."""
    assert list(judge(CALLER, BACKEND, NOW)) == []
    assert list(judge_service([CALLER], BACKEND, MOUNTED)) == []
    assert list(judge_secret([CALLER], BACKEND, MOUNTED, NOW)) == []


def test_one_at_a_url_is_left_to_a_call() -> None:
    """There is no Service to look at."""
    outside = CALLER._replace(service="", namespace="", url="https://10.0.0.1", bundle=b"")

    assert list(judge_service([outside], Backend(), None)) == []
    assert list(judge(outside, Backend(), NOW)) == []


def test_a_service_is_one_fault_for_all_webhooks_behind_it() -> None:
    """Three blocks about one missing object would hide which it is."""
    second = CALLER._replace(entry="b.example.com", blocks=False)

    (found,) = judge_service([CALLER, second], BACKEND._replace(service=None), MOUNTED)

    assert told([found]) == [("error", "service/shop in namespace shops")]
    assert "API servers call it for a.example.com, b.example.com" in found.what
    assert "is refused until it answers" in found.why
    assert "goes unchecked" in found.why
    assert found.causes == ("deployment/shop in namespace shops",)


def test_a_service_without_pods_that_blocks_nothing_is_a_warning() -> None:
    """Users notice nothing, and objects go unchecked."""
    ignored = CALLER._replace(blocks=False)

    (found,) = judge_service([ignored], BACKEND._replace(ready=0), MOUNTED)

    assert found.severity == "warning"


def test_a_webhook_of_somebody_who_is_gone_can_be_deleted() -> None:
    """What was uninstalled by halves blocks the cluster."""
    (found,) = judge_service([CALLER], Backend(), None)

    assert found.mend[-1] == "kubectl delete validatingwebhookconfiguration shop"


def test_a_wrong_port_names_the_right_one() -> None:
    """And the command has it already."""
    (found,) = judge(CALLER._replace(port=8443), BACKEND, NOW)

    assert "called at port 8443" in found.what
    assert '"path":"/webhooks/0/clientConfig/service/port","value":443' in found.mend[0]


def test_a_bundle_is_compared_with_the_certificate() -> None:
    """Empty, of another authority, or expired: each is told apart."""
    other = Authority("b", period=Period(NOW - DAY, NOW + DAY)).certificate
    over = Authority("c", period=Period(NOW - 2 * DAY, NOW - DAY)).certificate

    texts = [
        next(judge(CALLER._replace(bundle=one), BACKEND, NOW)).what for one in (b"", other, over)
    ]

    assert "its caBundle is empty" in texts[0]
    assert "no authority in it has signed" in texts[1]
    assert "the certificate expired" in texts[2]


def test_a_bundle_is_mended_from_the_secret_or_by_whoever_writes_it() -> None:
    """Writing over cert-manager would not last."""
    empty = CALLER._replace(bundle=b"")

    (ours,) = judge(empty, BACKEND, NOW)
    (injected,) = judge(empty._replace(injected=True), BACKEND, NOW)
    (foreign,) = judge(empty, Backend(SERVICE, 1), NOW)

    assert "kubectl get secret certs --namespace shops" in ours.mend[0]
    assert "cainjector" in injected.mend[-1]
    assert foreign.mend == ("kubectl describe validatingwebhookconfiguration shop",)


def test_a_secret_that_is_missing_or_bad_is_told() -> None:
    """With the command for whoever makes the certificate."""
    gone = BACKEND._replace(leaf=None)

    (mounted,) = judge_secret([CALLER], gone, MOUNTED, NOW)
    (managed,) = judge_secret([CALLER], gone, installed(), NOW)

    assert told([mounted]) == [("error", "secret/certs in namespace shops")]
    assert "cert-manager" in mounted.mend[0]
    assert managed.mend[-1] == "kubectl rollout restart deployment/shop --namespace shops"


def test_a_mounted_certificate_that_expires_soon_is_a_warning() -> None:
    """Our own is renewed long before; somebody else's may be forgotten."""
    late = NOW + 48 * DAY

    assert [one.severity for one in judge_secret([CALLER], BACKEND, MOUNTED, late)] == ["warning"]
    assert list(judge_secret([CALLER], BACKEND, installed(), late)) == []


def test_a_webhook_about_its_own_pods_is_a_deadlock() -> None:
    """Once it is down, it stays down; unless its namespace is left out."""
    rule = {"apiGroups": [""], "operations": ["CREATE"], "resources": ["pods"]}
    own = CALLER._replace(rules=(rule,))
    labels = {"kubernetes.io/metadata.name": "shops"}
    term = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["shops"]}
    spared = own._replace(namespace_selector={"matchExpressions": [term]})

    (found,) = judge_deadlock(own, "shops", labels)

    assert told([found]) == [("warning", CONFIGURATION)]
    assert '"path":"/webhooks/0/namespaceSelector"' in found.mend[0]
    assert list(judge_deadlock(spared, "shops", labels)) == []
    assert list(judge_deadlock(own._replace(blocks=False), "shops", labels)) == []
    assert list(judge_deadlock(CALLER, "shops", labels)) == []


def test_a_webhook_that_no_configuration_names_is_told() -> None:
    """It is served, and nobody comes."""
    operator = kw.Operator("shop")

    @operator.validator(Pod)
    def check(pod: Pod) -> None:
        """Allow everything."""

    (hook,) = operator.webhooks.admissions
    registered = CALLER._replace(entry=hook.webhook.name)

    (found,) = judge_declared(operator.webhooks, [CALLER], "kubewright deploy")

    assert found.subject.startswith("validatingwebhookconfiguration/shop-validating")
    assert hook.webhook.name in found.what
    assert list(judge_declared(operator.webhooks, [registered], "kubewright deploy")) == []

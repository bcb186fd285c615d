from typing import Any

import pytest

import kubewright as kw
from kubewright._serve.messages import Request, Response
from kubewright.api.kind import GroupKind
from kubewright.errors import SchemeError
from kubewright.kinds.core.v1 import Pod
from kubewright.webhook.admission import Admission, RawAdmission, declare, declare_raw
from kubewright.webhook.conversion import Conversion
from kubewright.webhook.serving import WebhookServing
from kubewright.webhook.token_reviews import access, token
from kubewright.webhook.webhooks import Webhooks
from tests.unit.webhook.conversion.shops import ShopV1, ShopV2, ShopV3, shop_conversion

Widget = kw.Kind("example.org/v1", "Widget")
SERVING = WebhookServing().named("shops", "prod")


def allow(*asked: Any) -> None:
    """Have nothing against it."""


def validator(kind: Any = ShopV1, **options: Any) -> Admission:
    """Return the declaration of a validator."""
    return declare(kind, allow, mutating=False, on=("create",), options=options)  # type: ignore[arg-type]  # any


def defaulter(kind: Any = ShopV1, **options: Any) -> Admission:
    """Return the declaration of a defaulter."""
    return declare(kind, allow, mutating=True, on=("create",), options=options)  # type: ignore[arg-type]  # any


def raw(kind: Any = Pod, **options: Any) -> RawAdmission:
    """Return the declaration of a raw handler."""
    return declare_raw(kind, allow, mutating=False, on=("create",), options=options)  # type: ignore[arg-type]  # any


def filled() -> Webhooks:
    """Return webhooks of every sort."""
    webhooks = Webhooks("shops")
    for one in (defaulter(), validator(), raw(), validator(Widget)):
        webhooks.add(one)
    webhooks.add(token("/authenticate", allow))
    webhooks.add(access("/authorize", allow))
    webhooks.conversions.append(shop_conversion())
    return webhooks


# --- What was declared ---


def test_an_operator_without_webhooks_has_none() -> None:
    """Nothing is served or registered for it."""
    webhooks = Webhooks("shops")

    assert not webhooks
    assert webhooks.paths == []
    assert webhooks.kinds == ()
    assert webhooks.configurations(SERVING) == []
    assert webhooks.crd_conversions(SERVING) == {}
    assert list(webhooks.targets()) == []


@pytest.mark.parametrize(
    "added", [validator(), raw(), token("/authenticate", allow), access("/authorize", allow)]
)
def test_one_of_any_sort_is_enough(added: Any) -> None:
    """A server that was left out would let the API server wait in vain."""
    webhooks = Webhooks("shops")

    webhooks.add(added)

    assert webhooks
    assert webhooks.paths == [added.path]


def test_a_conversion_alone_is_served_too() -> None:
    """Not every operator with two versions has something to refuse."""
    webhooks = Webhooks("shops")

    webhooks.conversions.append(shop_conversion())

    assert webhooks
    assert webhooks.paths == ["/convert"]


def test_paths_are_those_of_kubebuilder_in_order() -> None:
    """Manifests made for an operator in Go fit."""
    assert filled().paths == [
        "/authenticate",
        "/authorize",
        "/convert",
        "/mutate-example-com-v1-shop",
        "/validate--v1-pod",
        "/validate-example-com-v1-shop",
        "/validate-example-org-v1-widget",
    ]


@pytest.mark.parametrize(
    "second",
    [
        validator(),
        validator(ShopV2, path="/validate-example-com-v1-shop"),
        raw(path="/validate-example-com-v1-shop"),
        token("/validate-example-com-v1-shop", allow),
    ],
)
def test_two_of_one_path_are_refused(second: Any) -> None:
    """One of them would never be called, and nobody would notice."""
    webhooks = Webhooks("shops")
    webhooks.add(validator())

    with pytest.raises(SchemeError, match=r"at /validate-example-com-v1-shop: .* another path="):
        webhooks.add(second)

    assert webhooks.paths == ["/validate-example-com-v1-shop"]


def test_the_path_of_conversions_is_taken_from_the_start() -> None:
    """A conversion that is declared later must find it free."""
    with pytest.raises(SchemeError, match="at /convert"):
        Webhooks("shops").add(validator(path="/convert"))
    with pytest.raises(SchemeError, match="at /convert"):
        Webhooks("shops").add(token("/convert", allow))


def test_two_of_one_name_are_refused() -> None:
    """API servers refuse the whole configuration."""
    webhooks = Webhooks("shops")
    webhooks.add(validator())

    with pytest.raises(SchemeError, match=r"called validate\.v1\.shops\.example\.com: .* name="):
        webhooks.add(validator(path="/other"))


@pytest.mark.parametrize("make", [validator, defaulter])
def test_a_second_one_of_a_kind_is_told_of_all_that_it_needs(make: Any) -> None:
    """Not of the name only when the path is mended."""
    webhooks = Webhooks("shops")
    webhooks.add(make())

    with pytest.raises(SchemeError) as told:
        webhooks.add(make())

    (first,) = webhooks.admissions
    assert str(told.value) == (
        f"two webhooks would be served at {first.path}: give one of them another path= and another"
        f" name=, such as path='{first.path}-2', name='second.{first.webhook.name}'"
    )
    webhooks.add(make(path=f"{first.path}-2", name=f"second.{first.webhook.name}"))


def test_two_of_one_kind_have_names_and_paths_of_their_own() -> None:
    """One that must not fail, and one that may be ignored, is a common pair."""
    webhooks = Webhooks("shops")
    webhooks.add(validator())

    webhooks.add(validator(path="/quota", name="quota.shops.example.com", failure_policy="Ignore"))

    assert webhooks.paths == ["/quota", "/validate-example-com-v1-shop"]


def test_kinds_are_named_once() -> None:
    """CRDs are made from them; a raw handler and a review are about no kind in particular."""
    assert filled().kinds == (ShopV1, Widget, ShopV2, ShopV3)


async def test_all_of_them_are_answered() -> None:
    """A path that is registered, and answered by 404, refuses every write."""
    webhooks = filled()

    routes = webhooks.routes()
    answer = await routes.handle(Request("POST", "/nowhere"))

    assert routes.paths == webhooks.paths
    assert isinstance(answer, Response)
    assert answer.status == 404


def test_a_conversion_that_lacks_a_function_ends_the_start() -> None:
    """Lists of the other version would fail, one day."""
    webhooks = Webhooks("shops")
    conversion = Conversion(ShopV1)
    webhooks.conversions.append(conversion)
    conversion.to_hub(ShopV2)(lambda new: ShopV1())

    with pytest.raises(SchemeError, match=r"declare @conversion\.from_hub\(ShopV2\)"):
        webhooks.routes()


# --- What API servers must know ---


def test_configurations_are_named_after_the_operator() -> None:
    """Those of two operators do not overwrite each other."""
    assert Webhooks("shops").configuration_names == (
        "shops-mutating-webhook-configuration",
        "shops-validating-webhook-configuration",
    )


def test_configurations_say_where_and_for_what_a_webhook_is_called() -> None:
    """They can be applied as they are."""
    webhooks = Webhooks("shops")
    webhooks.add(defaulter(failure_policy="Ignore", timeout_seconds=3))

    assert webhooks.configurations(SERVING, ca_bundle="Q0E=") == [
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": "shops-mutating-webhook-configuration"},
            "webhooks": [
                {
                    "name": "mutate.v1.shops.example.com",
                    "admissionReviewVersions": ["v1"],
                    "clientConfig": {
                        "caBundle": "Q0E=",
                        "service": {
                            "name": "shops-webhook-service",
                            "namespace": "prod",
                            "path": "/mutate-example-com-v1-shop",
                        },
                    },
                    "failurePolicy": "Ignore",
                    "rules": [
                        {
                            "apiGroups": ["example.com"],
                            "apiVersions": ["v1"],
                            "operations": ["CREATE"],
                            "resources": ["shops"],
                        }
                    ],
                    "sideEffects": "None",
                    "timeoutSeconds": 3,
                }
            ],
        }
    ]


def test_there_is_a_configuration_for_each_flavour() -> None:
    """Reviews and conversions are announced in other ways."""
    mutating, validating = filled().configurations(SERVING)

    assert mutating["kind"] == "MutatingWebhookConfiguration"
    assert validating["kind"] == "ValidatingWebhookConfiguration"
    assert [one["name"] for one in validating["webhooks"]] == [
        "validate.v1.pods.core",
        "validate.v1.shops.example.com",
        "validate.v1.widgets.example.org",
    ]
    assert "caBundle" not in validating["webhooks"][0]["clientConfig"]


def test_a_url_takes_the_place_of_the_service() -> None:
    """An operator on a laptop has no Service."""
    webhooks = Webhooks("shops")
    webhooks.add(validator())

    (made,) = webhooks.configurations(WebhookServing(url="https://10.0.0.5:9443"))

    assert made["webhooks"][0]["clientConfig"] == {
        "url": "https://10.0.0.5:9443/validate-example-com-v1-shop"
    }


def test_crds_say_who_converts() -> None:
    """Both versions of the review are answered, since old servers ask in the older one."""
    place = SERVING.client("/convert").document()

    assert filled().crd_conversions(SERVING) == {
        GroupKind("example.com", "Shop"): {
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": place,
                "conversionReviewVersions": ["v1", "v1beta1"],
            },
        }
    }


def test_the_service_leads_to_the_port_of_the_pods() -> None:
    """API servers call port 443 unless they are told otherwise."""
    serving = WebhookServing(port=1234).named("shops", "prod")

    made = Webhooks("shops").service(serving, selector={"app": "shops"})
    usual = Webhooks("shops").service(serving)

    assert made == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "shops-webhook-service", "namespace": "prod"},
        "spec": {
            "ports": [{"port": 443, "protocol": "TCP", "targetPort": 1234}],
            "selector": {"app": "shops"},
        },
    }
    assert usual["spec"]["selector"] == {"control-plane": "controller-manager"}


def test_all_manifests_speak_of_one_service() -> None:
    """Also if nobody has named it: what is applied must fit together."""
    webhooks = filled()
    plain = WebhookServing()

    (_, validating) = webhooks.configurations(plain)
    (conversion,) = webhooks.crd_conversions(plain).values()

    called = validating["webhooks"][0]["clientConfig"]["service"]["name"]
    converts = conversion["webhook"]["clientConfig"]["service"]["name"]
    assert {called, converts, webhooks.service(plain)["metadata"]["name"]} == {
        "shops-webhook-service"
    }


def test_a_service_without_a_namespace_says_none() -> None:
    """An empty one is a namespace that does not exist; kubectl and kustomize fill in a missing."""
    made = Webhooks("shops").service(WebhookServing().named("shops", ""))

    assert made["metadata"] == {"name": "shops-webhook-service"}


def test_targets_are_the_objects_with_a_bundle_of_ours() -> None:
    """Rights are given for these names, and for no others."""
    targets = filled().targets()

    assert [str(one) for one in targets] == [
        "mutatingwebhookconfigurations/shops-mutating-webhook-configuration",
        "validatingwebhookconfigurations/shops-validating-webhook-configuration",
        "customresourcedefinitions/shops.example.com",
    ]


def test_there_are_no_targets_for_what_nobody_registers() -> None:
    """A right that is not needed is not asked for."""
    webhooks = Webhooks("shops")
    webhooks.add(defaulter())
    webhooks.add(token("/authenticate", allow))

    assert [str(one) for one in webhooks.targets()] == [
        "mutatingwebhookconfigurations/shops-mutating-webhook-configuration"
    ]

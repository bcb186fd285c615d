"""How a definition says that it is converted."""

import base64
from typing import Any

import pytest

from kubewright.apiserver.customresource.webhook import validate_conversion
from tests.unit.apiserver.customresource.samples import crd_of, established

Json = dict[str, Any]

CONFIG = "spec.conversion.webhookClientConfig"
REVIEWS = "spec.conversion.conversionReviewVersions"
FORM = "; desired format: https://host[/path]"


def problems(client_config: Json | None, *reviews: str, strategy: str = "Webhook") -> list[str]:
    """Return what is wrong with a webhook."""
    webhook: Json = {"conversionReviewVersions": list(reviews)}
    if client_config is not None:
        webhook["clientConfig"] = client_config
    errors = validate_conversion({"strategy": strategy, "webhook": webhook}, None)
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("config", "texts"),
    [
        ({"url": "https://example.com/x"}, []),
        ({"service": {"name": "a", "namespace": "b", "path": "/x/y"}}, []),
        (None, [f"{CONFIG}: Required value: required when strategy is set to Webhook"]),
        ({}, [f"{CONFIG}: Required value: exactly one of url or service is required"]),
        (
            {"url": "http://u:p@/x?y#z"},
            [
                (
                    f"{CONFIG}.url: Invalid value: \"http\": 'https' is the only allowed URL"
                    f" scheme{FORM}"
                ),
                f'{CONFIG}.url: Invalid value: "": host must be specified{FORM}',
                f'{CONFIG}.url: Invalid value: "u:p": user information is not permitted in the URL',
                f'{CONFIG}.url: Invalid value: "z": fragments are not permitted in the URL',
                f'{CONFIG}.url: Invalid value: "y": query parameters are not permitted in the URL',
            ],
        ),
        (
            {"service": {"name": "", "namespace": "a", "port": 0, "path": "a//b"}},
            [
                f"{CONFIG}.service.namespace: Required value",
                (
                    f"{CONFIG}.service.port: Invalid value: 0: port is not valid: must be between 1"
                    " and 65535, inclusive"
                ),
                f"{CONFIG}.service.path: Invalid value: \"a//b\": must start with a '/'",
                f'{CONFIG}.service.path: Invalid value: "a//b": segment[0] may not be empty',
                f'{CONFIG}.service.path: Invalid value: "a//b": segment[1] may not be empty',
            ],
        ),
    ],
)
def test_webhooks_must_be_reachable(config: Json | None, texts: list[str]) -> None:
    """The messages are those of the real server."""
    assert problems(config, "v1") == texts


def test_a_review_must_be_one_that_we_can_send() -> None:
    """Otherwise no conversion would work."""
    assert problems({"url": "https://x"}, "v3", "v3") == [
        f'{REVIEWS}[1]: Invalid value: "v3": duplicate version',
        f'{REVIEWS}: Invalid value: ["v3","v3"]: must include at least one of v1, v1beta1',
    ]
    assert problems({"url": "https://x"}) == [f"{REVIEWS}: Required value"]


def test_without_the_strategy_there_is_no_webhook() -> None:
    """A forgotten strategy would otherwise go unnoticed."""
    text = "Forbidden: should not be set when strategy is not set to Webhook"

    assert problems({"url": "https://x"}, "v1", strategy="None") == [
        f"{CONFIG}: {text}",
        f"{REVIEWS}: {text}",
    ]
    assert problems(None, strategy="Foo") == [
        'spec.conversion.strategy: Unsupported value: "Foo": supported values: "None", "Webhook"'
    ]


def test_a_bad_bundle_is_refused_once_the_definition_is_in_use() -> None:
    """Until then, cert-manager or a user may still fill it in."""
    bundle = base64.b64encode(b"abc").decode()
    config = {"url": "https://x", "caBundle": bundle}
    conversion = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": config, "conversionReviewVersions": ["v1"]},
    }

    assert validate_conversion(conversion, crd_of()) == []
    assert validate_conversion(conversion, established(crd_of(conversion=conversion))) == []
    assert [str(error) for error in validate_conversion(conversion, established(crd_of()))] == [
        (
            f'{CONFIG}.caBundle: Invalid value: "{bundle}": unable to load root certificates:'
            " unable to parse bytes as PEM block"
        )
    ]

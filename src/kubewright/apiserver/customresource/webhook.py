"""Validation of ``spec.conversion`` in definitions."""

import base64
import binascii
from typing import Any
from urllib.parse import urlsplit

from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

ACCEPTED_REVIEWS: tuple[str, ...] = ("v1", "v1beta1")
"""The ConversionReview versions that we can send; the first that a webhook accepts is used."""

_FORM = "; desired format: https://host[/path]"
_NOT_WEBHOOK = "should not be set when strategy is not set to Webhook"
_CONFIG = "spec.conversion.webhookClientConfig"
_REVIEWS = "spec.conversion.conversionReviewVersions"
_MAX_PORT = 65535


def validate_conversion(conversion: Obj | None, old: Obj | None) -> Errors:
    """Return what is wrong with ``spec.conversion``; *old* is the definition before an update."""
    if conversion is None:
        return []
    strategy = conversion.get("strategy") or ""
    errors = _validate_strategy(strategy)
    webhook = conversion.get("webhook") or {}
    reviews = webhook.get("conversionReviewVersions") or []
    if strategy == "Webhook":
        errors += _validate_config(webhook.get("clientConfig"), old)
        return errors + _validate_reviews(reviews)
    if webhook.get("clientConfig") is not None:
        errors.append(field.forbidden(_CONFIG, _NOT_WEBHOOK))
    if reviews:
        errors.append(field.forbidden(_REVIEWS, _NOT_WEBHOOK))
    return errors


def _validate_strategy(strategy: str) -> Errors:
    path = "spec.conversion.strategy"
    if not strategy:
        return [field.required(path)]
    allowed = ("None", "Webhook")
    return [] if strategy in allowed else [field.not_supported(path, strategy, allowed)]


def _validate_config(config: Obj | None, old: Obj | None) -> Errors:
    if config is None:
        return [field.required(_CONFIG, "required when strategy is set to Webhook")]
    url, service = config.get("url"), config.get("service")
    errors: Errors = []
    if (url is None) == (service is None):
        errors.append(field.required(_CONFIG, "exactly one of url or service is required"))
    elif url is not None:
        errors += validate_url(url, f"{_CONFIG}.url")
    elif service is not None:
        errors += validate_service(service, f"{_CONFIG}.service")
    bundle = config.get("caBundle")
    if bundle and old is not None and not _may_be_invalid(old):
        errors += validate_ca_bundle(bundle, f"{_CONFIG}.caBundle")
    return errors


def _may_be_invalid(old: Obj) -> bool:
    """Return whether an invalid CA bundle is tolerated: it was invalid before, or is not in use."""
    conditions = (old.get("status") or {}).get("conditions") or ()
    if not any(each["type"] == "Established" and each["status"] == "True" for each in conditions):
        return True
    webhook = (old["spec"].get("conversion") or {}).get("webhook") or {}
    bundle: str = (webhook.get("clientConfig") or {}).get("caBundle") or ""
    return bool(bundle and validate_ca_bundle(bundle, "caBundle"))


def validate_url(url: str, path: str) -> Errors:
    """Return what is wrong with the URL of a webhook."""
    try:
        split = urlsplit(url)
    except ValueError as error:
        return [field.required(path, f"url must be a valid URL: {error}{_FORM}")]
    errors: Errors = []
    if split.scheme != "https":
        text = f"'https' is the only allowed URL scheme{_FORM}"
        errors.append(field.invalid(path, split.scheme, text))
    host = split.netloc.rpartition("@")[2]
    if not host:
        errors.append(field.invalid(path, host, f"host must be specified{_FORM}"))
    if "@" in split.netloc:
        user = split.netloc.rpartition("@")[0]
        errors.append(field.invalid(path, user, "user information is not permitted in the URL"))
    if split.fragment:
        errors.append(field.invalid(path, split.fragment, "fragments are not permitted in the URL"))
    if split.query:
        text = "query parameters are not permitted in the URL"
        errors.append(field.invalid(path, split.query, text))
    return errors


def validate_service(service: Obj, path: str) -> Errors:
    """Return what is wrong with the service of a webhook."""
    errors: Errors = []
    # For definitions, the real server mixes up the two names in these errors.
    for name, other in (("name", "namespace"), ("namespace", "name")):
        if not service.get(other):
            errors.append(field.required(f"{path}.{name}"))
    port = service.get("port", 443)
    if not 1 <= port <= _MAX_PORT:
        text = "port is not valid: must be between 1 and 65535, inclusive"
        errors.append(field.invalid(f"{path}.port", port, text))
    return errors + _validate_url_path(service.get("path") or "", f"{path}.path")


def _validate_url_path(value: str, path: str) -> Errors:
    if value in ("", "/"):
        return []
    if value == "//":
        return [field.invalid(path, value, "segment[0] may not be empty")]
    errors: Errors = []
    if not value.startswith("/"):
        errors.append(field.invalid(path, value, "must start with a '/'"))
    for index, step in enumerate(value[1:].removesuffix("/").split("/")):
        if not step:
            errors.append(field.invalid(path, value, f"segment[{index}] may not be empty"))
            continue
        errors += [
            field.invalid(path, value, f"segment[{index}]: {problem}")
            for problem in naming.dns_subdomain(step)
        ]
    return errors


def validate_ca_bundle(bundle: str, path: str) -> Errors:
    """Return what is wrong with certificates in base64."""
    try:
        data = base64.b64decode(bundle, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if b"-----BEGIN CERTIFICATE-----" in data and _are_certificates(data):
        return []
    text = "unable to load root certificates: unable to parse bytes as PEM block"
    return [field.invalid(path, bundle, text)]


def _are_certificates(data: bytes) -> bool:
    from cryptography import x509

    try:
        return bool(x509.load_pem_x509_certificates(data))
    except ValueError:
        return False


def _validate_reviews(versions: list[Any]) -> Errors:
    if not versions:
        return [field.required(_REVIEWS)]
    errors: Errors = []
    for index, version in enumerate(versions):
        below = f"{_REVIEWS}[{index}]"
        if version in versions[:index]:
            errors.append(field.invalid(below, version, "duplicate version"))
            continue
        errors += [field.invalid(below, version, text) for text in naming.dns_label_1035(version)]
    if not set(versions) & set(ACCEPTED_REVIEWS):
        text = f"must include at least one of {', '.join(ACCEPTED_REVIEWS)}"
        errors.append(field.invalid(_REVIEWS, versions, text))
    return errors

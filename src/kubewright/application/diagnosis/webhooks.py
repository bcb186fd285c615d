"""Do API servers reach every webhook, and trust what it shows?"""

from collections.abc import AsyncGenerator, Iterator
from datetime import datetime
from typing import NamedTuple

import msgspec

from kubewright.api.meta import LabelSelector
from kubewright.api.selectors import selector_from
from kubewright.application.diagnosis.callers import Caller, list_callers
from kubewright.application.diagnosis.calls import call
from kubewright.application.diagnosis.certificate import (
    bundle_problem,
    expires_soon,
    leaf_problem,
    signature_problem,
)
from kubewright.application.diagnosis.finding import Finding, error, fine, named, warning
from kubewright.application.diagnosis.installation import Installation
from kubewright.application.diagnosis.patient import Patient
from kubewright.kinds.core.v1 import Endpoints, Namespace, Secret, Service
from kubewright.webhook.certificates.targets import service_hosts
from kubewright.webhook.webhooks import Webhooks

__all__ = [
    "Backend",
    "judge",
    "judge_deadlock",
    "judge_declared",
    "judge_secret",
    "judge_service",
    "look",
]

_OWN = frozenset({"*", "pods", "secrets", "configmaps", "deployments", "replicasets", "leases"})


class Backend(NamedTuple):
    """What a Service that API servers call is like.

    Attributes:
        service: The Service; ``None`` if it does not exist.
        ready: How many pods behind it are ready.
        is_ours: Whether the operator is behind it.
        secret: The name of the Secret with the certificate; empty if it is not known.
        leaf: The certificate in it, in PEM; ``None`` if there is no such Secret.
    """

    service: Service | None = None
    ready: int = 0
    is_ours: bool = False
    secret: str = ""
    leaf: bytes | None = None


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge all webhooks of the cluster, and call those of the operator if nothing is wrong."""
    operator, place = patient.operator, patient.installation
    crds = operator.webhooks.targets().crds if operator is not None else None
    callers = [one async for one in list_callers(patient.client, crds=crds)]
    found: list[Finding] = []
    if operator is not None and place is not None and place.deployment is not None:
        found += judge_declared(operator.webhooks, callers, patient.commands.deploy)
    backends = await _backends(patient, callers)
    for key, backend in backends.items():
        behind = [one for one in callers if _key(one) == key]
        found += judge_service(behind, backend, place)
        found += judge_secret(behind, backend, place, patient.now)
    for caller in callers:
        found += judge(caller, backends[_key(caller)], patient.now)
    for finding in found:
        yield finding
    ours = [one for one in callers if backends[_key(one)].is_ours]
    if ours and place is not None:
        labels = (await patient.client.get(Namespace, place.namespace)).metadata.labels
        for finding in (one for c in ours for one in judge_deadlock(c, place.namespace, labels)):
            yield finding
    if found:
        return
    yield fine(f"{len(callers)} webhooks can be reached")
    if operator is not None:
        async for finding in call(patient, operator):
            yield finding


def _key(caller: Caller) -> tuple[str, str]:
    return caller.namespace, caller.service


async def _backends(patient: Patient, callers: list[Caller]) -> dict[tuple[str, str], Backend]:
    known: dict[tuple[str, str], Backend] = {}
    for caller in callers:
        if _key(caller) not in known:
            known[_key(caller)] = await _backend(patient, caller)
    return known


async def _backend(patient: Patient, caller: Caller) -> Backend:
    if not caller.service:
        return Backend()
    client, where = patient.client, caller.namespace
    service = await client.find(Service, caller.service, namespace=where)
    if service is None:
        return Backend(is_ours=_is_home(patient.installation, where))
    endpoints = await client.find(Endpoints, caller.service, namespace=where)
    ready = sum(len(one.addresses) for one in endpoints.subsets) if endpoints is not None else 0
    ours = _serves(service, patient.installation)
    if not ours:
        return Backend(service, ready)
    name = patient.certificate
    secret = await client.find(Secret, name, namespace=where) if name else None
    leaf = (secret.data.get("tls.crt") or b"") if secret is not None else None
    return Backend(service, ready, is_ours=True, secret=name, leaf=leaf)


def _is_home(place: Installation | None, namespace: str) -> bool:
    return place is not None and place.namespace == namespace


def _serves(service: Service, place: Installation | None) -> bool:
    """Say whether *service* is for the pods of the operator."""
    if place is None or place.deployment is None:
        return False
    if place.namespace != service.metadata.namespace:
        return False
    labels = place.deployment.spec.template.metadata.labels
    wanted = service.spec.selector
    return bool(wanted) and wanted.items() <= labels.items()


# --- Judgement ---


def judge_declared(webhooks: Webhooks, callers: list[Caller], deploy: str) -> Iterator[Finding]:
    """Say which webhooks of the operator no API server calls."""
    registered = {(one.resource, one.entry) for one in callers if not one.is_conversion}
    names = dict(zip((True, False), webhooks.configuration_names, strict=True))
    lost: dict[bool, list[str]] = {}
    for one in webhooks.admissions:
        flavour = "mutating" if one.webhook.mutating else "validating"
        if (f"{flavour}webhookconfiguration", one.webhook.name) not in registered:
            lost.setdefault(one.webhook.mutating, []).append(one.webhook.name)
    for mutating, found in lost.items():
        resource = f"{'mutating' if mutating else 'validating'}webhookconfiguration"
        yield error(
            named(resource, names[mutating]),
            f"No configuration names {', '.join(found)}: API servers do not call it.",
            why="Objects are stored without its defaults."
            if mutating
            else "Objects are stored that it would refuse.",
            mend=[deploy],
        )


def judge_service(
    callers: list[Caller], backend: Backend, place: Installation | None
) -> Iterator[Finding]:
    """Say why nobody answers at the Service of some webhooks.

    Args:
        callers: What calls it.
        backend: The Service.
        place: How the operator is deployed.
    """
    first = callers[0]
    if not first.service or (backend.service is not None and backend.ready):
        return
    names = ", ".join(one.entry or f"the conversion of {one.name}" for one in callers)
    objects = dict.fromkeys((one.resource, one.name) for one in callers if not one.is_conversion)
    give_up = [f"kubectl delete {resource} {name}" for resource, name in objects]
    if backend.is_ours or not give_up:
        give_up = []
    else:
        give_up = ["# If nothing provides it any more:", *give_up]
    if backend.service is None:
        what = f"There is no such Service, and API servers call it for {names}."
        mend = ["# Deploy again what provides it.", *give_up]
    else:
        what = f"No pod behind it is ready, and API servers call it for {names}."
        mend = [f"kubectl get endpoints,pods --namespace {first.namespace}", *give_up]
    effects = dict.fromkeys(one.effect for one in callers)
    yield (error if any(one.blocks for one in callers) else warning)(
        named("service", first.service, first.namespace),
        what,
        why=" ".join(effects),
        mend=mend,
        causes=(place.subject,) if place is not None and backend.is_ours else (),
    )


def judge(caller: Caller, backend: Backend, now: datetime) -> Iterator[Finding]:
    """Say why API servers cannot call a webhook whose Service is there.

    Args:
        caller: What calls it.
        backend: The Service behind it.
        now: The time by the server's clock.
    """
    worse = error if caller.blocks else warning
    if caller.service and backend.service is None:
        return  # that is told, and comes first
    if backend.service is not None and (found := _wrong_port(caller, backend.service)):
        what, mend = found
        yield worse(caller.subject, what, why=caller.effect, mend=[mend])
    if wrong := _distrust(caller, backend, now):
        what = f"{_of(caller)}API servers do not trust {caller.target}: {wrong}."
        yield worse(caller.subject, what, why=caller.effect, mend=_bundle_mend(caller, backend))


def _distrust(caller: Caller, backend: Backend, now: datetime) -> str:
    if not caller.bundle:
        return "its caBundle is empty" if caller.service else ""
    wrong = bundle_problem(caller.bundle, now)
    if not wrong and backend.leaf:
        wrong = signature_problem(backend.leaf, caller.bundle)
    return f"in its caBundle, {wrong}" if wrong else ""


def _of(caller: Caller) -> str:
    return "" if caller.is_conversion else f"{caller.entry}: "


def _wrong_port(caller: Caller, service: Service) -> tuple[str, str] | None:
    """Return that the Service has another port, and what mends it."""
    ports = sorted(one.port for one in service.spec.ports)
    if caller.port in ports:
        return None
    shown = ", ".join(map(str, ports))
    what = f"{caller.title} is called at port {caller.port} of {caller.target}, which has {shown}."
    value = ports[0] if ports else caller.port
    patch = f'[{{"op":"add","path":"{caller.pointer}/service/port","value":{value}}}]'
    return what, f"kubectl patch {caller.resource} {caller.name} --type json --patch '{patch}'"


def _bundle_mend(caller: Caller, backend: Backend) -> list[str]:
    if caller.injected:
        return [
            "# cert-manager writes it; see whether it runs and what it says:",
            "kubectl get pods --namespace cert-manager",
            "kubectl logs deployment/cert-manager-cainjector --namespace cert-manager --tail 20",
        ]
    if not backend.secret or backend.leaf is None:
        return [f"kubectl describe {caller.resource} {caller.name}"]
    read = (
        f"kubectl get secret {backend.secret} --namespace {caller.namespace}"
        " --output jsonpath='{.data.ca\\.crt}'"
    )
    where = f"{caller.pointer}/caBundle"
    patch = '[{"op":"add","path":"' + where + '","value":"\'"$(' + read + ')"\'"}]'
    return [f"kubectl patch {caller.resource} {caller.name} --type json --patch '{patch}'"]


def judge_secret(
    callers: list[Caller], backend: Backend, place: Installation | None, now: datetime
) -> Iterator[Finding]:
    """Say why API servers do not accept the certificate of the operator.

    Args:
        callers: What calls it.
        backend: Its Service, with the certificate.
        place: How the operator is deployed.
        now: The time by the server's clock.
    """
    if not backend.is_ours or not backend.secret:
        return
    name, where = backend.secret, callers[0].namespace
    effect = " ".join(dict.fromkeys(one.effect for one in callers))
    wrong = _wrong_certificate(callers[0], backend, now)
    if wrong:
        yield error(named("secret", name, where), wrong, why=effect, mend=_renewal(backend, place))
    elif _is_mounted(place) and (end := expires_soon(backend.leaf or b"", now)):
        what = f"The certificate of the webhooks expires at {end}."
        mend = _renewal(backend, place)
        yield warning(named("secret", name, where), what, why=f"After that: {effect}", mend=mend)


def _wrong_certificate(caller: Caller, backend: Backend, now: datetime) -> str:
    if backend.leaf is None:
        return "There is no such Secret, which holds the certificate of the webhooks."
    hosts = service_hosts(caller.service, caller.namespace)
    wrong = leaf_problem(backend.leaf, hosts, now)
    return f"The certificate of the webhooks cannot be used: {wrong}." if wrong else ""


def _renewal(backend: Backend, place: Installation | None) -> list[str]:
    """Return what makes the certificate anew."""
    assert place is not None
    where = f"--namespace {place.namespace}"
    if _is_mounted(place):
        return [
            "# Whoever makes it has to make it anew. If that is cert-manager:",
            f"kubectl describe certificate {where}",
            f"kubectl delete secret {backend.secret} {where}",
        ]
    delete = f"kubectl delete secret {backend.secret} {where} --ignore-not-found"
    return [delete, f"kubectl rollout restart {place.ref}"]


def _is_mounted(place: Installation | None) -> bool:
    """Say whether somebody else makes the certificate: ours is renewed long before its end."""
    return place is not None and bool(place.value("webhook-cert-path"))


def judge_deadlock(caller: Caller, namespace: str, labels: dict[str, str]) -> Iterator[Finding]:
    """Say whether a webhook is asked about what it needs itself to start.

    Args:
        caller: What calls it.
        namespace: The namespace of the operator.
        labels: The labels of that namespace.
    """
    resources = {one for rule in caller.rules for one in rule.get("resources") or ()}
    groups = {one for rule in caller.rules for one in rule.get("apiGroups") or ()}
    touched = {one.partition("/")[0] for one in resources} & _OWN
    if not (caller.blocks and touched and groups & {"", "*", "apps", "coordination.k8s.io"}):
        return
    selector = msgspec.convert(caller.namespace_selector or {}, LabelSelector)
    if not selector_from(selector).matches(labels):
        return
    what = ", ".join(sorted(touched)).replace("*", "everything")
    name = "kubernetes.io/metadata.name"
    term = f'{{"key":"{name}","operator":"NotIn","values":["{namespace}"]}}'
    value = f'{{"matchExpressions":[{term}]}}'
    place = caller.pointer.removesuffix("/clientConfig")
    patch = f'[{{"op":"add","path":"{place}/namespaceSelector","value":{value}}}]'
    yield warning(
        caller.subject,
        f"{caller.title} is asked about {what} of namespace {namespace}, too, in which the operator"
        " runs.",
        why="Once it is down, its own pods are refused, and it never comes up again.",
        mend=[f"kubectl patch {caller.resource} {caller.name} --type json --patch '{patch}'"],
    )

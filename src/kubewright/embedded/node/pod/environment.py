"""The environment of a container, and references to it in its command."""

import re
from collections.abc import Iterable, Mapping

from kubewright.embedded.node.runtime import ContainerError
from kubewright.embedded.node.volumes.downward import HostFacts, field_value, resource_value
from kubewright.embedded.node.volumes.references import References
from kubewright.kinds.core.v1 import Container, EnvVar, Pod, Service

__all__ = ["environment_of", "expanded", "service_variables"]

_REFERENCE = re.compile(r"\$(?:\$|\(([^()]*)\))")
_NOT_A_LETTER = re.compile(r"[^A-Z0-9_]")


def expanded(text: str, environment: Mapping[str, str]) -> str:
    """Return *text* with each ``$(NAME)`` replaced; unknown ones stay, ``$$`` is a plain ``$``.

    Example:
        >>> expanded("$(HOME)/$(X) $$(HOME)", {"HOME": "/home/me"})
        '/home/me/$(X) $(HOME)'
    """

    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        return environment.get(found[1], found[0])

    return _REFERENCE.sub(value, text)


def environment_of(
    container: Container,
    pod: Pod,
    facts: HostFacts,
    references: References,
    *,
    services: Iterable[Service] = (),
) -> dict[str, str]:
    """Return the complete environment of a container.

    Args:
        container: What its author wrote.
        pod: Its pod.
        facts: What its node knows of it.
        references: The ConfigMaps and Secrets that it names.
        services: The services whose addresses it gets.

    Raises:
        ContainerError: Something that it names is not there.
    """
    result = service_variables(services)
    for source in container.env_from:
        found: Mapping[str, str] = {}
        if source.config_map_ref is not None:
            ref = source.config_map_ref
            found = references.config_map(ref.name or "", optional=bool(ref.optional))
        elif source.secret_ref is not None:
            name, optional = source.secret_ref.name or "", bool(source.secret_ref.optional)
            found = references.secret_text(name, optional=optional)
        prefix = source.prefix or ""
        result |= {prefix + name: value for name, value in found.items()}
    for variable in container.env:
        value = _value(variable, container, pod, facts, references)
        if value is None:
            continue
        # Only variables that were set before it count, as in a shell script.
        result[variable.name] = expanded(value, result) if variable.value_from is None else value
    return result


def _value(
    variable: EnvVar, container: Container, pod: Pod, facts: HostFacts, references: References
) -> str | None:
    source = variable.value_from
    if source is None:
        return variable.value or ""
    try:
        if source.field_ref is not None:
            return field_value(source.field_ref.field_path, pod, facts)
        if source.resource_field_ref is not None:
            return resource_value(source.resource_field_ref, container, pod, facts)
    except ValueError as error:
        raise ContainerError("CreateContainerConfigError", str(error)) from None
    if source.config_map_key_ref is not None:
        ref = source.config_map_key_ref
        found = references.config_map(ref.name or "", optional=bool(ref.optional))
        return _key(found, ref.key, f"ConfigMap {_full(pod, ref.name)}", bool(ref.optional))
    if source.secret_key_ref is not None:
        secret = source.secret_key_ref
        found = references.secret_text(secret.name or "", optional=bool(secret.optional))
        return _key(found, secret.key, f"Secret {_full(pod, secret.name)}", bool(secret.optional))
    raise ContainerError(
        "CreateContainerConfigError", f"the source of {variable.name} is not supported here"
    )


def _full(pod: Pod, name: str | None) -> str:
    return f"{pod.metadata.namespace}/{name}"


def _key(found: Mapping[str, str], key: str, where: str, optional: bool) -> str | None:
    if key in found:
        return found[key]
    if optional:
        return None
    raise ContainerError("CreateContainerConfigError", f"couldn't find key {key} in {where}")


def service_variables(services: Iterable[Service]) -> dict[str, str]:
    """Return the variables by which containers find services, as the kubelet names them."""
    result: dict[str, str] = {}
    for service in sorted(services, key=lambda one: one.metadata.name or ""):
        address, ports = service.spec.cluster_ip, service.spec.ports
        if not address or address == "None" or not ports:
            continue
        name = _NOT_A_LETTER.sub("_", (service.metadata.name or "").upper())
        result[f"{name}_SERVICE_HOST"] = address
        result[f"{name}_SERVICE_PORT"] = str(ports[0].port)
        for port in ports:
            if port.name:
                suffix = _NOT_A_LETTER.sub("_", port.name.upper())
                result[f"{name}_SERVICE_PORT_{suffix}"] = str(port.port)
        host = f"[{address}]" if ":" in address else address
        for number, port in enumerate(ports):
            protocol = (port.protocol or "TCP").lower()
            url, link = f"{protocol}://{host}:{port.port}", f"{name}_PORT_{port.port}"
            link = f"{link}_{protocol.upper()}"
            if number == 0:
                result[f"{name}_PORT"] = url
            result |= {
                link: url,
                f"{link}_PROTO": protocol,
                f"{link}_PORT": str(port.port),
                f"{link}_ADDR": address,
            }
    return result

import pytest

import kubewright as kw
from kubewright.embedded.node.pod.environment import environment_of, expanded, service_variables
from kubewright.embedded.node.runtime import ContainerError
from kubewright.embedded.node.volumes.downward import HostFacts
from kubewright.embedded.node.volumes.references import References
from kubewright.kinds.core.v1 import (
    ConfigMap,
    ConfigMapEnvSource,
    ConfigMapKeySelector,
    Container,
    EnvFromSource,
    EnvVar,
    EnvVarSource,
    ObjectFieldSelector,
    Pod,
    ResourceFieldSelector,
    Secret,
    SecretEnvSource,
    SecretKeySelector,
    Service,
    ServicePort,
    ServiceSpec,
)

POD = Pod(metadata=kw.ObjectMeta(name="web", namespace="shop"))
FACTS = HostFacts("127.1.0.1", "127.0.0.1")
FOUND = References(
    {"conf": ConfigMap(data={"A": "1", "B": "2"}), "none": None},
    {"pass": Secret(data={"P": b"secret"})},
)


def variables(container: Container) -> dict[str, str]:
    """Return the variables of a container."""
    return environment_of(container, POD, FACTS, FOUND)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("$(A)", "1"),
        ("a$(A)b$(A)", "a1b1"),
        ("$(NONE)", "$(NONE)"),
        ("$$(A)", "$(A)"),
        ("$A $", "$A $"),
        ("$$$(A)", "$1"),
    ],
)
def test_references_are_replaced_as_kubernetes_does_it(text: str, result: str) -> None:
    """Unknown ones stay, and two dollars are one."""
    assert expanded(text, {"A": "1"}) == result


def test_later_variables_refer_to_earlier_ones() -> None:
    """In the order in which they stand."""
    found = variables(
        Container(
            name="c",
            env=[
                EnvVar(name="X", value="$(Y)"),
                EnvVar(name="Y", value="y"),
                EnvVar(name="Z", value="$(Y)z"),
            ],
        )
    )

    assert found == {"X": "$(Y)", "Y": "y", "Z": "yz"}


def test_variables_come_from_config_maps_and_secrets() -> None:
    """All of one, or one key of it; what is named last wins."""
    found = variables(
        Container(
            name="c",
            env_from=[
                EnvFromSource(config_map_ref=ConfigMapEnvSource(name="conf"), prefix="X_"),
                EnvFromSource(secret_ref=SecretEnvSource(name="pass")),
                EnvFromSource(config_map_ref=ConfigMapEnvSource(name="none", optional=True)),
            ],
            env=[
                EnvVar(
                    name="X_A",
                    value_from=EnvVarSource(
                        config_map_key_ref=ConfigMapKeySelector(name="conf", key="B")
                    ),
                ),
                EnvVar(
                    name="Q",
                    value_from=EnvVarSource(secret_key_ref=SecretKeySelector(name="pass", key="P")),
                ),
                EnvVar(
                    name="NO",
                    value_from=EnvVarSource(
                        secret_key_ref=SecretKeySelector(name="pass", key="-", optional=True)
                    ),
                ),
            ],
        )
    )

    assert found == {"X_A": "2", "X_B": "2", "P": "secret", "Q": "secret"}


def test_variables_come_from_the_pod_itself() -> None:
    """The downward API."""
    fields = EnvVarSource(field_ref=ObjectFieldSelector(field_path="status.podIP"))
    amounts = EnvVarSource(resource_field_ref=ResourceFieldSelector(resource="limits.cpu"))

    found = variables(
        Container(
            name="c",
            env=[EnvVar(name="I", value_from=fields), EnvVar(name="C", value_from=amounts)],
        )
    )

    assert found == {"I": "127.1.0.1", "C": "0"}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            EnvVarSource(config_map_key_ref=ConfigMapKeySelector(name="none", key="A")),
            'configmap "none" not found',
        ),
        (
            EnvVarSource(config_map_key_ref=ConfigMapKeySelector(name="conf", key="Z")),
            "couldn't find key Z in ConfigMap shop/conf",
        ),
        (
            EnvVarSource(secret_key_ref=SecretKeySelector(name="no", key="Z")),
            'secret "no" not found',
        ),
        (
            EnvVarSource(secret_key_ref=SecretKeySelector(name="pass", key="Z")),
            "couldn't find key Z in Secret shop/pass",
        ),
        (EnvVarSource(field_ref=ObjectFieldSelector(field_path="x")), "unsupported fieldPath: x"),
        (EnvVarSource(), "not supported here"),
    ],
)
def test_what_is_missing_is_said_as_the_kubelet_says_it(source: EnvVarSource, problem: str) -> None:
    """People search the web for these words."""
    container = Container(name="c", env=[EnvVar(name="V", value_from=source)])

    with pytest.raises(ContainerError, match=problem) as caught:
        variables(container)

    assert caught.value.reason == "CreateContainerConfigError"


def test_services_are_found_by_their_variables() -> None:
    """Old programs know no other way."""
    service = Service(
        metadata=kw.ObjectMeta(name="my-db"),
        spec=ServiceSpec(
            cluster_ip="10.0.0.9",
            ports=[ServicePort(port=5432, name="sql"), ServicePort(port=53, protocol="UDP")],
        ),
    )
    headless = Service(metadata=kw.ObjectMeta(name="h"), spec=ServiceSpec(cluster_ip="None"))

    found = service_variables([service, headless])

    assert found["MY_DB_SERVICE_HOST"] == "10.0.0.9"
    assert found["MY_DB_SERVICE_PORT"] == found["MY_DB_SERVICE_PORT_SQL"] == "5432"
    assert found["MY_DB_PORT"] == found["MY_DB_PORT_5432_TCP"] == "tcp://10.0.0.9:5432"
    assert found["MY_DB_PORT_53_UDP_PROTO"] == "udp"
    assert not any(name.startswith("H_") for name in found)

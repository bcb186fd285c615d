import pytest

from kubewright.embedded.node.runtime import ContainerError
from kubewright.embedded.node.volumes.references import (
    Reference,
    References,
    environment_references,
    volume_references,
)
from kubewright.kinds.core.v1 import (
    ConfigMap,
    ConfigMapEnvSource,
    ConfigMapKeySelector,
    ConfigMapProjection,
    ConfigMapVolumeSource,
    Container,
    EnvFromSource,
    EnvVar,
    EnvVarSource,
    Pod,
    PodSpec,
    ProjectedVolumeSource,
    Secret,
    SecretEnvSource,
    SecretKeySelector,
    SecretProjection,
    SecretVolumeSource,
    Volume,
    VolumeProjection,
)


def test_what_variables_come_from_is_named() -> None:
    """It must be read before the container starts."""
    container = Container(
        name="c",
        env_from=[
            EnvFromSource(config_map_ref=ConfigMapEnvSource(name="a")),
            EnvFromSource(secret_ref=SecretEnvSource(name="b")),
        ],
        env=[
            EnvVar(name="P", value="plain"),
            EnvVar(
                name="C",
                value_from=EnvVarSource(config_map_key_ref=ConfigMapKeySelector(name="c", key="k")),
            ),
            EnvVar(
                name="S",
                value_from=EnvVarSource(secret_key_ref=SecretKeySelector(name="d", key="k")),
            ),
        ],
    )

    assert list(environment_references(container)) == [
        Reference("ConfigMap", "a"),
        Reference("Secret", "b"),
        Reference("ConfigMap", "c"),
        Reference("Secret", "d"),
    ]


def test_what_files_come_from_is_named() -> None:
    """A change of one of them must reach the files."""
    projected = ProjectedVolumeSource(
        sources=[
            VolumeProjection(config_map=ConfigMapProjection(name="c")),
            VolumeProjection(secret=SecretProjection(name="d")),
        ]
    )
    volumes = [
        Volume(name="1", config_map=ConfigMapVolumeSource(name="a")),
        Volume(name="2", secret=SecretVolumeSource(secret_name="b")),
        Volume(name="3", projected=projected),
        Volume(name="4"),
    ]

    found = list(volume_references(Pod(spec=PodSpec(volumes=volumes))))

    assert [name for _, name in found] == ["a", "b", "c", "d"]
    assert [kind for kind, _ in found] == ["ConfigMap", "Secret"] * 2


def test_what_is_not_there_is_an_error_unless_it_is_optional() -> None:
    """With the words of the kubelet."""
    nothing = References()

    with pytest.raises(ContainerError, match='configmap "a" not found'):
        nothing.config_map("a")
    with pytest.raises(ContainerError, match='secret "a" not found'):
        nothing.secret("a")
    assert nothing.config_map_files("a", optional=True) == {}
    assert nothing.secret_text("a", optional=True) == {}


def test_files_hold_texts_and_bytes() -> None:
    """A ConfigMap has two places for them."""
    both = ConfigMap(data={"t": "text"}, binary_data={"b": b"\xff"})
    found = References({"m": both}, {"s": Secret(data={"k": b"\xffx"})})

    assert found.config_map_files("m") == {"t": b"text", "b": b"\xff"}
    assert found.secret_text("s") == {"k": "\ufffdx"}

from typing import Any

import pytest

import kubewright as kw
from kubewright.embedded.node.volumes.downward import HostFacts
from kubewright.embedded.node.volumes.material import File, Files
from kubewright.embedded.node.volumes.references import References
from kubewright.embedded.node.volumes.volumes import MountError, token_sources, volumes_of
from kubewright.kinds.core.v1 import (
    ConfigMap,
    ConfigMapProjection,
    ConfigMapVolumeSource,
    DownwardAPIProjection,
    DownwardAPIVolumeFile,
    DownwardAPIVolumeSource,
    EmptyDirVolumeSource,
    HostPathVolumeSource,
    KeyToPath,
    NFSVolumeSource,
    ObjectFieldSelector,
    PersistentVolumeClaimVolumeSource,
    Pod,
    PodSpec,
    ProjectedVolumeSource,
    Secret,
    SecretProjection,
    SecretVolumeSource,
    ServiceAccountTokenProjection,
    Volume,
    VolumeProjection,
)

FOUND = References(
    {"conf": ConfigMap(data={"a": "1", "b": "2"})}, {"pass": Secret(data={"p": b"s"})}
)
NAME = DownwardAPIVolumeFile(path="name", field_ref=ObjectFieldSelector(field_path="metadata.name"))


def files(**source: Any) -> Files:
    """Return what is in a volume."""
    pod = Pod(
        metadata=kw.ObjectMeta(name="web", namespace="shop"),
        spec=PodSpec(volumes=[Volume(name="v", **source)]),
    )
    claimed = {"v": Files(kept="pvc-1")} if "persistent_volume_claim" in source else None
    return volumes_of(pod, HostFacts("", ""), FOUND, tokens={"token": "abc"}, claimed=claimed)["v"]


def test_each_key_is_a_file() -> None:
    """With the mode that the volume asks for."""
    found = files(config_map=ConfigMapVolumeSource(name="conf", default_mode=0o600))

    assert found == Files({"a": File(b"1", 0o600), "b": File(b"2", 0o600)})
    assert files(secret=SecretVolumeSource(secret_name="pass")) == Files({"p": File(b"s")})


def test_items_choose_keys_and_name_them() -> None:
    """Also in folders, and with modes of their own."""
    items = [KeyToPath(key="a", path="deep/x", mode=0o400)]

    found = files(config_map=ConfigMapVolumeSource(name="conf", items=items))

    assert found == Files({"deep/x": File(b"1", 0o400)})


def test_a_projected_volume_holds_everything_together() -> None:
    """The token of a service account comes this way."""
    sources = [
        VolumeProjection(config_map=ConfigMapProjection(name="conf")),
        VolumeProjection(secret=SecretProjection(name="pass")),
        VolumeProjection(downward_api=DownwardAPIProjection(items=[NAME])),
        VolumeProjection(service_account_token=ServiceAccountTokenProjection(path="token")),
        VolumeProjection(),
    ]

    found = files(projected=ProjectedVolumeSource(sources=sources))

    assert found.content is not None
    assert {path: file.data for path, file in found.content.items()} == {
        "a": b"1",
        "b": b"2",
        "p": b"s",
        "name": b"web",
        "token": b"abc",
    }
    pod = Pod(
        spec=PodSpec(volumes=[Volume(name="v", projected=ProjectedVolumeSource(sources=sources))])
    )
    assert len(list(token_sources(pod))) == 1


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"empty_dir": EmptyDirVolumeSource()}, Files()),
        ({"host_path": HostPathVolumeSource(path="/srv")}, Files(link="/srv")),
        (
            {"host_path": HostPathVolumeSource(path="/srv", type="DirectoryOrCreate")},
            Files(link="/srv", create=True),
        ),
        (
            {"persistent_volume_claim": PersistentVolumeClaimVolumeSource(claim_name="data")},
            Files(kept="pvc-1"),
        ),
        (
            {"downward_api": DownwardAPIVolumeSource(items=[NAME])},
            Files({"name": File(b"web")}),
        ),
    ],
)
def test_other_volumes_are_folders(source: dict[str, Any], expected: Files) -> None:
    """Of the pod, of the machine, or one that is kept."""
    assert files(**source) == expected


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ({"config_map": ConfigMapVolumeSource(name="no")}, 'configmap "no" not found'),
        (
            {
                "config_map": ConfigMapVolumeSource(
                    name="conf", items=[KeyToPath(key="z", path="z")]
                )
            },
            ": configmap references non-existent config key: z",
        ),
        (
            {
                "secret": SecretVolumeSource(
                    secret_name="pass", items=[KeyToPath(key="z", path="z")]
                )
            },
            ": references non-existent secret key: z",
        ),
        (
            {
                "secret": SecretVolumeSource(
                    secret_name="pass", items=[KeyToPath(key="p", path="../p")]
                )
            },
            "leads out of the volume",
        ),
        ({"nfs": NFSVolumeSource(server="s", path="/")}, "not supported by the embedded node"),
    ],
)
def test_a_volume_that_cannot_be_filled_says_why(source: dict[str, Any], problem: str) -> None:
    """The text is that of the event."""
    with pytest.raises(MountError, match=problem) as caught:
        files(**source)

    assert str(caught.value).startswith('MountVolume.SetUp failed for volume "v" : ')


def test_an_optional_source_that_is_missing_leaves_the_folder_empty() -> None:
    """The pod starts all the same."""
    assert files(config_map=ConfigMapVolumeSource(name="no", optional=True)) == Files({})

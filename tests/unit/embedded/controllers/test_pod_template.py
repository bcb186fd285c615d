import re

import kubewright as kw
from kubewright.embedded.controllers.pod_template import (
    HASH_LABEL,
    is_same_template,
    pod_from,
    safe_hash,
)
from kubewright.kinds.apps.v1 import ReplicaSet
from kubewright.kinds.core.v1 import Container, PodSpec, PodTemplateSpec

OWNER = ReplicaSet(
    api_version="apps/v1",
    kind="ReplicaSet",
    metadata=kw.ObjectMeta(name="web", namespace="shop", uid="1"),
)


def template(image: str = "good", **labels: str) -> PodTemplateSpec:
    return PodTemplateSpec(
        metadata=kw.ObjectMeta(labels=labels, annotations={"note": "x"}),
        spec=PodSpec(containers=[Container(name="main", image=image)]),
    )


def test_a_pod_has_what_its_template_says_and_an_owner() -> None:
    """The server makes up its name; the template stays as it is."""
    made = template(app="web")

    pod = pod_from(made, OWNER)
    pod.metadata.labels["more"] = "1"

    assert (pod.metadata.generate_name, pod.metadata.namespace) == ("web-", "shop")
    assert pod.metadata.annotations == {"note": "x"}
    assert [one.uid for one in pod.metadata.owner_references] == ["1"]
    assert pod.spec == made.spec
    assert made.metadata.labels == {"app": "web"}


def test_a_long_name_leaves_room_for_what_is_added() -> None:
    """A pod whose name is longer than a label cannot be."""
    owner = ReplicaSet(
        api_version="apps/v1",
        kind="ReplicaSet",
        metadata=kw.ObjectMeta(name="w" * 80, namespace="shop", uid="1"),
    )

    assert len(pod_from(None, owner).metadata.generate_name) == 58


def test_templates_are_the_same_but_for_their_hash() -> None:
    """The set of a template carries its hash, and is found by all else."""
    plain, hashed = template(app="web"), template(app="web", **{HASH_LABEL: "abc"})

    assert is_same_template(plain, hashed)
    assert not is_same_template(plain, template("other", app="web"))


def test_a_hash_is_short_safe_and_the_same_each_time() -> None:
    """It is a part of names, and must not change with a restart."""
    digest = safe_hash(template(app="web"))

    assert re.fullmatch(r"[bcdfghjklmnpqrstvwxz2456789]{1,10}", digest)
    assert digest == safe_hash(template(app="web"), 0)
    assert digest != safe_hash(template(app="web"), 1)
    assert digest != safe_hash(template("other", app="web"))

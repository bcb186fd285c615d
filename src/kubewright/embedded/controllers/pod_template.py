"""From a pod template to pods, and to the short hash that tells templates apart."""

from hashlib import blake2s

import msgspec

from kubewright import _json
from kubewright.api.meta import ObjectMeta
from kubewright.api.owners import owner_reference
from kubewright.api.resource import Resource
from kubewright.kinds.core.v1 import Pod, PodTemplateSpec

__all__ = ["copied", "is_same_template", "pod_from", "safe_hash"]

HASH_LABEL: str = "pod-template-hash"
"""The label by which replica sets of one deployment tell their pods apart."""
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # no vowels, so that no hash is a word
_LONGEST_PREFIX = 63 - 5  # five random characters are added


def pod_from(template: PodTemplateSpec | None, owner: Resource, *, name: str = "") -> Pod:
    """Return a new pod of *template*, controlled by *owner*.

    Args:
        template: What pods look like.
        owner: Who controls them, and where.
        name: Its name; the server makes one up unless given.
    """
    made = copied(template or PodTemplateSpec())
    meta = made.metadata
    return Pod(
        metadata=ObjectMeta(
            name=name,
            generate_name=_prefix(owner.metadata.name),  # also beside a name, as Kubernetes does
            namespace=owner.metadata.namespace,
            labels=meta.labels,
            annotations=meta.annotations,
            finalizers=meta.finalizers,
            owner_references=[owner_reference(owner)],
        ),
        spec=made.spec,
    )


def copied(template: PodTemplateSpec) -> PodTemplateSpec:
    """Return a copy that may be changed."""
    return _json.decode(_json.encode(template), PodTemplateSpec)


def is_same_template(left: PodTemplateSpec | None, right: PodTemplateSpec | None) -> bool:
    """Return whether two templates make the same pods, but for the label with the hash."""
    return _without_hash(left) == _without_hash(right)


def safe_hash(value: object, collisions: int | None = None) -> str:
    """Return a short text for *value* that can be part of a name and a label.

    Args:
        value: Anything that has a JSON form.
        collisions: How often the result was already taken by another value.
    """
    text = msgspec.json.encode(msgspec.to_builtins(value), order="sorted")
    digest = blake2s(text + b"#" + str(collisions or 0).encode(), digest_size=4).digest()
    number = str(int.from_bytes(digest, "big"))
    return "".join(_LETTERS[ord(digit) % len(_LETTERS)] for digit in number)


def _prefix(name: str) -> str:
    return f"{name}-"[:_LONGEST_PREFIX]


def _without_hash(template: PodTemplateSpec | None) -> PodTemplateSpec:
    made = template or PodTemplateSpec()
    meta = made.metadata
    labels = {key: value for key, value in meta.labels.items() if key != HASH_LABEL}
    # Servers write a meaningless creation time into templates.
    plain = msgspec.structs.replace(meta, labels=labels, creation_timestamp=None)
    return msgspec.structs.replace(made, metadata=plain)

"""The form of the answer that a client wants, from its Accept header."""

from functools import lru_cache
from typing import Literal

from msgspec import Struct

from kubewright.apiserver.meta import status

Form = Literal["object", "table", "partial", "partial-list", "discovery"]

OFFERED: tuple[str, ...] = ("application/json", "application/yaml")
_FORMS: dict[tuple[str, str], Form] = {
    ("Table", "meta.k8s.io"): "table",
    ("PartialObjectMetadata", "meta.k8s.io"): "partial",
    ("PartialObjectMetadataList", "meta.k8s.io"): "partial-list",
    ("APIGroupDiscoveryList", "apidiscovery.k8s.io"): "discovery",
}
_VERSIONS: dict[Form, tuple[str, ...]] = {
    "table": ("v1", "v1beta1"),
    "partial": ("v1", "v1beta1"),
    "partial-list": ("v1", "v1beta1"),
    "discovery": ("v2", "v2beta1"),
}


class Accepted(Struct, frozen=True):
    """The best form that both sides know.

    Attributes:
        form: What is made of the object: a table, its metadata only, or nothing special.
        version: The version of the form, such as ``v1``.
        yaml: Whether to answer in YAML.
    """

    form: Form = "object"
    version: str = "v1"
    yaml: bool = False

    @property
    def content_type(self) -> str:
        """The media type of the answer."""
        return "application/yaml" if self.yaml else "application/json"


PLAIN = Accepted()


@lru_cache(maxsize=256)
def accepted(header: str, *forms: Form) -> Accepted:
    """Return the first choice in *header* that we can serve; *forms* besides the plain object.

    Raises:
        StatusError: There is none (406).
    """
    if not header:
        return PLAIN
    for clause in header.split(","):
        found = _clause(clause, forms)
        if found is not None:
            return found
    raise status.not_acceptable(OFFERED)


def _clause(clause: str, forms: tuple[Form, ...]) -> Accepted | None:
    media, *rest = (part.strip() for part in clause.split(";"))
    if media not in ("application/json", "application/yaml", "*/*", "application/*"):
        return None
    yaml = media == "application/yaml"
    parameters = dict(part.split("=", 1) for part in rest if "=" in part)
    wanted = parameters.get("as")
    if wanted is None:
        return Accepted(yaml=yaml)
    form = _FORMS.get((wanted, parameters.get("g", "")))
    version = parameters.get("v", "")
    if form is None or form not in forms or version not in _VERSIONS[form]:
        return None
    return Accepted(form, version, yaml)

"""`Configuration`: the fields that are changed, by default and by ``configurations:``."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

from kubewright.scaffold.kustomize import defaults
from kubewright.scaffold.kustomize.conversion import read_as
from kubewright.scaffold.kustomize.fields import Field, Part
from kubewright.scaffold.kustomize.fieldspec import FieldSpec, merged_specs
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.ordering import kind_key

__all__ = ["DEFAULT", "Configuration", "read_configuration"]

References = dict[GroupVersionKind, list[FieldSpec]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The fields that each transformation changes.

    Attributes:
        name_prefix: What gets the prefix.
        name_suffix: What gets the suffix.
        namespace: What holds a namespace, apart from metadata.
        common_labels: What gets labels, selectors included.
        labels: What gets them whatever the kustomization says.
        template_labels: What gets them with ``includeTemplates``.
        common_annotations: What gets annotations.
        name_reference: By kind, the fields of others that name an object of it.
        var_reference: Where variables are replaced.
        images: What holds an image.
        replicas: What holds a number of replicas.
    """

    name_prefix: list[FieldSpec] = field(default_factory=list)
    name_suffix: list[FieldSpec] = field(default_factory=list)
    namespace: list[FieldSpec] = field(default_factory=list)
    common_labels: list[FieldSpec] = field(default_factory=list)
    labels: list[FieldSpec] = field(default_factory=list)
    template_labels: list[FieldSpec] = field(default_factory=list)
    common_annotations: list[FieldSpec] = field(default_factory=list)
    name_reference: References = field(default_factory=dict)
    var_reference: list[FieldSpec] = field(default_factory=list)
    images: list[FieldSpec] = field(default_factory=list)
    replicas: list[FieldSpec] = field(default_factory=list)

    def merged(self, other: "Configuration") -> "Configuration":
        """Return what both say.

        Raises:
            ProblemError: They contradict one another.
        """
        if other is self or other == Configuration():
            return self
        lists = {
            name: _sorted(merged_specs(getattr(self, name), getattr(other, name)))
            for name in _LISTS
        }
        references = dict(self.name_reference)
        for kind, specs in other.name_reference.items():
            references[kind] = (
                merged_specs(references[kind], specs) if kind in references else specs
            )
        kinds = sorted(references, key=kind_key)
        return replace(self, **lists, name_reference={kind: references[kind] for kind in kinds})


_LISTS = [one.name for one in fields(Configuration) if one.name != "name_reference"]


def _sorted(specs: Iterable[FieldSpec]) -> list[FieldSpec]:
    # The order decides what is the same: a field of one kind, before that of all kinds, hides it.
    return sorted(specs, key=lambda one: kind_key(one.gvk))


DEFAULT: Configuration = Configuration().merged(
    Configuration(
        name_prefix=_sorted(defaults.NAMES),
        name_suffix=_sorted(defaults.NAMES),
        namespace=_sorted(defaults.NAMESPACES),
        common_labels=_sorted(defaults.COMMON_LABELS),
        template_labels=_sorted(defaults.TEMPLATE_LABELS),
        common_annotations=_sorted(defaults.COMMON_ANNOTATIONS),
        name_reference={kind: list(specs) for kind, specs in defaults.REFERENCES},
        var_reference=_sorted(defaults.VARIABLES),
        images=_sorted(defaults.IMAGES),
        replicas=_sorted(defaults.REPLICAS),
    )
)


class _NameReference(Part):
    group: str = ""
    version: str = ""
    kind: str = ""
    field_specs: list[Field] = []


class _File(Part):
    name_prefix: list[Field] = []
    name_suffix: list[Field] = []
    namespace: list[Field] = []
    common_labels: list[Field] = []
    labels: list[Field] = []
    template_labels: list[Field] = []
    common_annotations: list[Field] = []
    name_reference: list[_NameReference] = []
    var_reference: list[Field] = []
    images: list[Field] = []
    replicas: list[Field] = []


def read_configuration(text: str, *, place: str) -> Configuration:
    """Return what a file under ``configurations:`` says.

    Raises:
        ConfigError: It is not such a file; the message names line and field.
    """
    found = read_as(text, _File, place=place)
    lists = {name: _sorted(one.spec for one in getattr(found, name)) for name in _LISTS}
    references: References = {}
    for one in found.name_reference:
        kind = GroupVersionKind(one.group, one.version, one.kind)
        references.setdefault(kind, []).extend(each.spec for each in one.field_specs)
    return Configuration(**lists, name_reference=references)

"""The fields of a file kustomization.yaml, as types."""

from typing import Any

import msgspec

from kubewright.scaffold.kustomize.fieldspec import FieldSpec
from kubewright.scaffold.kustomize.identity import GroupVersionKind, Identity

__all__ = [
    "KUSTOMIZATION",
    "Field",
    "FieldOptions",
    "Fields",
    "Generator",
    "GeneratorOptions",
    "Image",
    "Labels",
    "LegacySortOptions",
    "Part",
    "Patch",
    "Replacement",
    "ReplacementField",
    "ReplacementSource",
    "ReplacementTarget",
    "Replicas",
    "Selector",
    "SortOptions",
    "Variable",
]

KUSTOMIZATION: str = "Kustomization"


class Part(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A part of the file."""


class Selector(Part):
    """Which objects are meant: by kind and name, by labels, by annotations."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    label_selector: str = ""
    annotation_selector: str = ""

    @property
    def identity(self) -> Identity:
        """What is said of kind, name and namespace."""
        gvk = GroupVersionKind(self.group, self.version, self.kind)
        return Identity(gvk, self.name, self.namespace)


class Field(Part):
    """A field, such as ``spec/template/metadata/labels`` of a Deployment."""

    path: str = ""
    group: str = ""
    version: str = ""
    kind: str = ""
    create: bool = False

    @property
    def spec(self) -> FieldSpec:
        """The field as a value that changes objects."""
        gvk = GroupVersionKind(self.group, self.version, self.kind)
        return FieldSpec(self.path, gvk, self.create)


class Labels(Part):
    """Labels, and where they are put."""

    pairs: dict[str, str] = {}
    include_selectors: bool = False
    include_templates: bool = False
    fields: list[Field] = []


class Patch(Part):
    """A patch in the file or in another one, strategic or JSON."""

    path: str = ""
    patch: str = ""
    target: Selector | None = None
    options: dict[str, bool] = {}


class Image(Part):
    """What becomes of an image."""

    name: str = ""
    new_name: str = ""
    new_tag: str = ""
    tag_suffix: str = ""
    digest: str = ""


class Replicas(Part):
    """How often something runs."""

    name: str = ""
    count: int = 0


class FieldOptions(Part):
    """Which part of a field is meant."""

    delimiter: str = ""
    index: int = 0
    encoding: str = ""
    create: bool = False


class ReplacementSource(Part):
    """The field that is copied."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    field_path: str = ""
    options: FieldOptions = msgspec.field(default_factory=FieldOptions)

    @property
    def identity(self) -> Identity:
        """The object."""
        gvk = GroupVersionKind(self.group, self.version, self.kind)
        return Identity(gvk, self.name, self.namespace)


class ReplacementTarget(Part):
    """The fields that it is copied to."""

    select: Selector | None = None
    reject: list[Selector] = []
    field_paths: list[str] = []
    options: FieldOptions = msgspec.field(default_factory=FieldOptions)


class Replacement(Part):
    """A field that is copied to others."""

    source: ReplacementSource | None = None
    targets: list[ReplacementTarget] | None = None


class ReplacementField(Part):
    """A replacement, or the file that has it."""

    source: ReplacementSource | None = None
    targets: list[ReplacementTarget] | None = None
    path: str = ""


class GeneratorOptions(Part):
    """What all generated objects have."""

    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    disable_name_suffix_hash: bool = False
    immutable: bool = False


class Generator(Part):
    """A ConfigMap or Secret that is made of files and literals."""

    name: str = ""
    namespace: str = ""
    behavior: str = ""
    literals: list[str] = []
    files: list[str] = []
    envs: list[str] = []
    env: str = ""
    options: GeneratorOptions = msgspec.field(default_factory=GeneratorOptions)
    type: str = ""


class LegacySortOptions(Part):
    """The kinds that come first, and those that come last."""

    order_first: list[str] = []
    order_last: list[str] = []


class SortOptions(Part):
    """The order in which the objects are printed."""

    order: str = ""
    legacy_sort_options: LegacySortOptions | None = None


class _ObjectReference(Part):
    api_version: str = ""
    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""


class _FieldReference(Part):
    field_path: str = ""


class Variable(Part):
    """A field whose value replaces ``$(NAME)``."""

    name: str = ""
    objref: _ObjectReference = msgspec.field(default_factory=_ObjectReference)
    fieldref: _FieldReference = msgspec.field(default_factory=_FieldReference)

    @property
    def identity(self) -> Identity:
        """The object."""
        of = self.objref
        gvk = GroupVersionKind(of.group, of.version, of.kind)
        if of.api_version:
            gvk = GroupVersionKind.parse(of.api_version, of.kind)
            gvk = gvk if gvk.group else gvk._replace(group=of.group)
        return Identity(gvk, of.name, of.namespace)


class Fields(Part):
    """All fields of the file."""

    api_version: str = ""
    kind: str = KUSTOMIZATION
    metadata: dict[str, Any] = {}
    openapi: dict[str, str] = {}
    name_prefix: str = ""
    name_suffix: str = ""
    namespace: str = ""
    common_labels: dict[str, str] = {}
    labels: list[Labels] = []
    common_annotations: dict[str, str] = {}
    patches_strategic_merge: list[str] = []
    patches_json6902: list[Patch] = msgspec.field(name="patchesJson6902", default_factory=list)
    patches: list[Patch] = []
    images: list[Image] = []
    image_tags: list[Image] = []
    replacements: list[ReplacementField] = []
    replicas: list[Replicas] = []
    vars: list[Variable] = []
    sort_options: SortOptions | None = None
    resources: list[str] = []
    components: list[str] = []
    crds: list[str] = []
    bases: list[str] = []
    config_map_generator: list[Generator] = []
    secret_generator: list[Generator] = []
    helm_globals: Any = None
    helm_charts: list[Any] = []
    helm_chart_inflation_generator: list[Any] = []
    generator_options: GeneratorOptions = msgspec.field(default_factory=GeneratorOptions)
    configurations: list[str] = []
    generators: list[str] = []
    transformers: list[str] = []
    validators: list[str] = []
    build_metadata: list[str] = []

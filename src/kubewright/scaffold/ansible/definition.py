"""The CRD of a kind whose spec is the variables of a role, and a sample of it."""

from typing import Any

from kubewright.crd.manifest import to_yaml
from kubewright.crd.values import read_values
from kubewright.crd.values.inference import inferred_schema
from kubewright.scaffold.ansible.naming import fields_of, schema_of_fields, text_with_fields
from kubewright.scaffold.ansible.role import Role
from kubewright.scaffold.codeless.definition import ANYTHING, definition, sample_head
from kubewright.scaffold.codeless.definition import sample_text as sample_of
from kubewright.scaffold.manifests import MARK
from kubewright.scaffold.project import ProjectResource

__all__ = ["crd_text", "sample_text"]

_HEAD = """\
# The spec is the variables of a run, and may be anything; with `--crd-schema defaults`, the API
# server checks it. This file is yours.
"""
_SHOWN = {"status": "How the last run was.", "condition": "Successful"}


def crd_text(resource: ProjectResource, role: Role | None = None) -> str:
    """Return the file of the CRD of *resource*.

    Args:
        resource: The kind.
        role: The role whose variables its spec is checked against; without, it may be anything.

    Raises:
        ConfigError: The role has defaults that cannot be read.
    """
    about = f"What a {resource.kind} is."
    if role is None:
        spec = {"description": "The variables of a run.", **ANYTHING}
        return _HEAD + to_yaml(definition(resource, spec, about=about, **_SHOWN))
    described = f"The variables of a run; what is not there is as in {role.folder}/defaults."
    spec = {"description": described, **_spec_schema(role)}
    return MARK + to_yaml(definition(resource, spec, about=about, **_SHOWN))


def sample_text(resource: ProjectResource, role: Role | None, labels: str) -> str:
    """Return an object with the defaults of *role* as its spec, and their comments.

    Args:
        resource: The kind.
        role: The role, if it has one.
        labels: The labels, indented for metadata.

    Raises:
        ConfigError: The role has defaults that cannot be read.
    """
    if role is None:
        head = sample_head(resource, labels, "The spec is the variables of the playbook.")
        return sample_of(head, {}, "")
    comment = f"The variables of {role.defaults_file}; what is left out is as it is there."
    head = sample_head(resource, labels, comment)
    values = fields_of(read_values(role.defaults, place=role.defaults_file))
    return sample_of(head, values, text_with_fields(role.defaults))


def _spec_schema(role: Role) -> dict[str, Any]:
    values = read_values(role.defaults, place=role.defaults_file)
    return schema_of_fields(inferred_schema(role.defaults), values)

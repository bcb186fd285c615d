"""The fields that are changed, by default and by files."""

import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize.configuration import (
    DEFAULT,
    Configuration,
    read_configuration,
)
from kubewright.scaffold.kustomize.fieldspec import FieldSpec
from kubewright.scaffold.kustomize.identity import GroupVersionKind


def test_a_file_adds_to_the_defaults() -> None:
    """Custom resources hold names and labels, too."""
    text = (
        "nameReference:\n- kind: Issuer\n  fieldSpecs: [{kind: Certificate, path: spec/issuer}]\n"
    )

    merged = DEFAULT.merged(read_configuration(text, place="a.yaml"))

    issuer = GroupVersionKind(kind="Issuer")
    certificate = GroupVersionKind(kind="Certificate")
    assert merged.name_reference[issuer] == [FieldSpec("spec/issuer", certificate)]
    assert merged.name_reference.keys() > DEFAULT.name_reference.keys()


def test_names_of_one_kind_hide_those_of_all() -> None:
    """So kustomize orders them: with a field for Issuers, only those get the prefix."""
    own = read_configuration("namePrefix: [{path: metadata/name, kind: Issuer}]", place="a.yaml")

    merged = Configuration().merged(DEFAULT.merged(own))

    assert merged.name_prefix == [FieldSpec("metadata/name", GroupVersionKind(kind="Issuer"))]


def test_merging_the_defaults_again_changes_nothing() -> None:
    """Every kustomization below brings them."""
    assert DEFAULT.merged(DEFAULT) is DEFAULT
    assert Configuration().merged(DEFAULT) == DEFAULT


def test_a_mistake_in_the_file_names_its_line() -> None:
    """The format is hardly documented."""
    with pytest.raises(ConfigError) as caught:
        read_configuration("images:\n- paths: a\n", place="a.yaml")

    assert str(caught.value) == (
        "a.yaml, line 2: images[0].paths: there is no such field; did you mean path?"
    )

"""The fields that are changed by default."""

from itertools import chain

from kubewright.scaffold.kustomize import defaults
from kubewright.scaffold.kustomize.identity import GroupVersionKind

CONFIG_MAP = GroupVersionKind("", "v1", "ConfigMap")


def test_pods_of_all_kinds_name_their_config_maps() -> None:
    """A hash at the end of a name is useless if one place still says the old one."""
    paths = {spec.path for spec in dict(defaults.REFERENCES)[CONFIG_MAP]}

    assert "spec/jobTemplate/spec/template/spec/initContainers/envFrom/configMapRef/name" in paths
    assert "template/spec/volumes/projected/sources/configMap/name" in paths


def test_no_kind_names_another_twice_in_one_field() -> None:
    """A doubled line would be an oversight in the tables."""
    doubled = [kind for kind, specs in defaults.REFERENCES if len(set(specs)) < len(specs)]

    assert not doubled


def test_paths_are_well_formed() -> None:
    """A slash too many would silently change nothing."""
    references = chain.from_iterable(specs for _, specs in defaults.REFERENCES)
    paths = [spec.path for spec in (*references, *defaults.COMMON_LABELS, *defaults.VARIABLES)]

    assert not [path for path in paths if "//" in path or path.strip("/") != path]

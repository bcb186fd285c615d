"""Write what a cluster needs before the operator comes: its kinds and its rights."""

from pathlib import Path

from sites import Site, operator

from kubewright.crd import custom_resource_definitions, roles, to_yaml

kinds = custom_resource_definitions(Site)
rights = roles("sites", operator.rules(leader_election="sites"))
Path("manifests.yaml").write_text(to_yaml(*kinds, *rights))

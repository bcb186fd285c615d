"""The folders from which a bundle is built: config/manifests and config/scorecard."""

from kubewright.bundle.collection import Object
from kubewright.bundle.scorecard import configuration
from kubewright.bundle.webhooks import CERTIFICATES
from kubewright.crd.manifest import to_yaml

__all__ = ["PATCH", "PATCH_ENTRY", "SCORECARD", "base_path", "folder_files", "scorecard_files"]

PATCH: str = "webhook_certificate_patch.yaml"
"""The patch that tells an operator where OLM puts the certificate of its webhooks."""
PATCH_ENTRY: str = f"path: {PATCH}\ntarget:\n  kind: Deployment"
SCORECARD: str = "config/scorecard"
_HEAD = """\
# What the bundle for OLM is made of: `kubewright generate bundle` builds this.
resources:
"""


def base_path(package: str) -> str:
    """Return where the base of the ClusterServiceVersion is, below config/manifests."""
    return f"bases/{package}.clusterserviceversion.yaml"


def folder_files(package: str, resources: list[str], *, webhooks: bool) -> dict[str, str]:
    """Return the files of a new config/manifests, besides the base.

    Args:
        package: The name of the package.
        resources: The folders with everything that is installed, as seen from there.
        webhooks: Whether the operator serves webhooks.
    """
    listed = [base_path(package), *resources]
    text = _HEAD + "".join(f"- {one}\n" for one in listed)
    if webhooks:
        first, *others = PATCH_ENTRY.splitlines()
        text += "\npatches:\n# OLM makes the certificate of webhooks itself.\n"
        text += "\n".join([f"- {first}", *(f"  {line}" for line in others)]) + "\n"
    found = {"kustomization.yaml": text}
    if webhooks:
        found[PATCH] = _patch()
    return found


def _patch() -> str:
    value = f"--webhook-cert-path={CERTIFICATES}"
    return (
        "- op: add\n"
        "  path: /spec/template/spec/containers/0/args/-\n"
        f"  value: {value}\n"
    )  # fmt: skip


def scorecard_files() -> dict[str, str]:
    """Return the files of config/scorecard."""
    said: Object = configuration()
    return {
        "config.yaml": to_yaml(said).removeprefix("---\n"),
        "kustomization.yaml": "# What operator-sdk's scorecard runs on the bundle.\n"
        "resources:\n- config.yaml\n",
    }

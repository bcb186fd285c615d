"""config/manifests and config/scorecard."""

import yaml

from kubewright.bundle.kustomization import base_path, folder_files, scorecard_files


def test_it_lists_the_base_and_the_folders() -> None:
    """One build has all that a bundle is made of."""
    files = folder_files("shop", ["../default", "../scorecard"], webhooks=False)

    assert yaml.safe_load(files["kustomization.yaml"]) == {
        "resources": ["bases/shop.clusterserviceversion.yaml", "../default", "../scorecard"]
    }
    assert base_path("shop") == "bases/shop.clusterserviceversion.yaml"


def test_webhooks_are_told_of_their_certificate() -> None:
    """OLM mounts it at a place of its own choice."""
    files = folder_files("shop", [], webhooks=True)

    said = yaml.safe_load(files["kustomization.yaml"])
    [patch] = yaml.safe_load(files["webhook_certificate_patch.yaml"])
    assert said["patches"] == [
        {"path": "webhook_certificate_patch.yaml", "target": {"kind": "Deployment"}}
    ]
    assert patch["value"] == "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs"


def test_the_scorecard_is_a_folder_of_its_own() -> None:
    """As in projects of operator-sdk."""
    files = scorecard_files()

    assert yaml.safe_load(files["kustomization.yaml"]) == {"resources": ["config.yaml"]}
    assert yaml.safe_load(files["config.yaml"])["kind"] == "Configuration"

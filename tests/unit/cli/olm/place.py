"""Bundles of a small operator, in the current folder."""

from pathlib import Path

from kubewright.crd.manifest import from_yaml, to_yaml
from tests.unit.bundle.sample import CSV_PATH, Object, files

__all__ = ["SERVING", "deployed", "write_bundle"]

SERVING = [
    {
        "type": "ValidatingAdmissionWebhook", "generateName": "v.example.com",
        "deploymentName": "shop-manager", "sideEffects": "None", "failurePolicy": "Ignore",
        "admissionReviewVersions": ["v1"],
        "rules": [
            {"apiGroups": ["a.b"], "apiVersions": ["v1"], "operations": ["CREATE"],
             "resources": ["c"]}
        ],
    }
]  # fmt: skip
deployed = "deployment.apps/shop-manager in here"


def write_bundle(name: str, version: str = "0.1.0", **spec: object) -> Path:
    """Write the bundle of a version into the folder *name*; *spec* are fields of its CSV."""
    texts = files()
    [csv] = from_yaml(texts[CSV_PATH])
    csv["metadata"]["name"] = f"shop.v{version}"
    wanted: Object = csv["spec"]
    wanted |= {"version": version, **spec}
    for path, text in {**texts, CSV_PATH: to_yaml(csv)}.items():
        place = Path(name) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Path(name)

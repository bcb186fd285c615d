"""PodCertificateRequests, which kubelets create for pods."""

from kubewright.apiserver.builtin.certificates.signers import signer_name
from kubewright.apiserver.builtin.fields.checks import immutable, needed, problems
from kubewright.apiserver.meta import naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class PodCertificateRequestStrategy(Strategy):
    """PodCertificateRequests."""

    allow_unconditional_update = False
    has_status = True
    field_names: frozenset[str] = frozenset({"spec.signerName", "spec.podName", "spec.nodeName"})

    def default(self, obj: Obj) -> None:
        """Include spec and status even if they are empty."""
        obj.setdefault("spec", {}).setdefault("maxExpirationSeconds", 86400)
        obj.setdefault("status", {})

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the signer, the pod, its service account and its node."""
        spec = obj["spec"]
        found = signer_name(spec.get("signerName") or "", "spec.signerName")
        rules = (
            ("podName", naming.dns_subdomain),
            ("serviceAccountName", naming.dns_subdomain),
            ("nodeName", naming.dns_subdomain),
        )
        for name, rule in rules:
            found += problems(rule, spec.get(name) or "", f"spec.{name}")
        for name in ("podUID", "serviceAccountUID", "nodeUID"):
            found += needed(spec.get(name), f"spec.{name}", "must not be empty")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the request did not change."""
        return immutable(new["spec"], old["spec"], "spec")

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the names of the signer, the pod and the node."""
        spec = obj.get("spec") or {}
        names = ("signerName", "podName", "nodeName")
        return {f"spec.{name}": spec.get(name, "") for name in names}

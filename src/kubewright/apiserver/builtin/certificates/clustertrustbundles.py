"""ClusterTrustBundles: sets of root certificates for pods to trust."""

from kubewright.apiserver.builtin.certificates.signers import signer_name
from kubewright.apiserver.builtin.fields.checks import immutable, needed
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class ClusterTrustBundleStrategy(Strategy):
    """ClusterTrustBundles."""

    allow_unconditional_update = False
    field_names: frozenset[str] = frozenset({"spec.signerName"})

    @staticmethod
    def name_rule(value: str) -> list[str]:
        """Return what is wrong with a name, which may start with a signer."""
        return naming.dns_subdomain(value.rpartition(":")[2])

    def default(self, obj: Obj) -> None:
        """Include the spec even if it is empty."""
        obj.setdefault("spec", {}).setdefault("trustBundle", "")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check signer, name and bundle."""
        spec, name = obj["spec"], obj["metadata"].get("name", "")
        signer, found = spec.get("signerName") or "", needed(obj["spec"]["trustBundle"], _BUNDLE)
        if not signer:
            if ":" in name:
                why = 'ClusterTrustBundle without signer name must not have ":" in its name'
                found.append(field.invalid("metadata.name", name, why))
            return found
        found += signer_name(signer, "spec.signerName")
        prefix = f"{signer.replace('/', ':')}:"
        if not name.startswith(prefix):
            why = f"ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}"
            found.append(field.invalid("metadata.name", name, why))
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the signer did not change."""
        value, before = new["spec"].get("signerName"), old["spec"].get("signerName")
        return self.validate(new, write) + immutable(value, before, "spec.signerName")

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the name of the signer."""
        return {"spec.signerName": (obj.get("spec") or {}).get("signerName", "")}


_BUNDLE = "spec.trustBundle"

"""Projects made of Ansible roles, as users make them: the commands of each, below its name."""

from tests.scaffold.variants import Variant

__all__ = ["ROLES"]

NGINX = "--group web --version v1alpha1 --kind Nginx"
SHOP = "create api --group web --version v1 --kind Shop"

ROLES: dict[str, Variant] = {
    "nothing yet": Variant("--plugins ansible"),
    "at once": Variant(f"--plugins ansible --domain example.com {NGINX} --generate-role"),
    "with schemas": Variant(
        f"--plugins ansible --domain example.com {NGINX} --generate-role --crd-schema defaults",
        (f"{SHOP} --generate-role --generate-playbook --crd-schema defaults",),
    ),
    "one namespace": Variant(
        f"--plugins ansible/v1 --namespaced {NGINX} --generate-playbook",
        (f"{SHOP} --generate-role --no-namespaced",),
    ),
    "several groups": Variant(
        "--plugins ansible --multigroup",
        (
            f"{SHOP} --generate-role",
            "create api --group more-things --version v1 --kind Shop --generate-role",
            "edit --namespaced",
        ),
    ),
}

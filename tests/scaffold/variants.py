"""Projects as users make them: the commands of each, below its name."""

from typing import NamedTuple

__all__ = ["VARIANTS", "Variant"]

SHOP = "--group shop --version v1 --kind Shop"
ISSUER = "--group cert-manager --version v1 --kind Issuer --external-api-domain io"
MEMCACHED = (
    "--image memcached:1.6 --image-container-port 11211"
    " --image-container-command memcached,-m=64 --run-as-user 1001"
)
POSTGRES = "--image postgres:18 --image-container-port 5432"
CACHE = "--group cache --version v1 --kind Memcached"
LONG = "--group databases-and-caches --version {} --kind TraefikServiceRegistrationRequest"


class Variant(NamedTuple):
    """How a project is made.

    Attributes:
        init: The options of ``kubewright init``.
        commands: The commands after it.
        name: The name of the folder and of the project, if it matters.
    """

    init: str = ""
    commands: tuple[str, ...] = ()
    name: str = "town"


VARIANTS: dict[str, Variant] = {
    "empty": Variant("--license none"),
    "one group": Variant(
        "--domain example.com",
        (
            f"create api {SHOP}",
            "create api --group shop --version v1 --kind Class --namespaced=false",
            f"create webhook {SHOP} --defaulting",
            "create webhook --group shop --version v1 --kind Class --programmatic-validation",
        ),
    ),
    "several groups": Variant(
        "--domain example.com --multigroup",
        (
            f"create api {SHOP}",
            "create api --group more-things --version v1alpha1 --kind APIThing --plural apithingy",
            f"create webhook {SHOP} --defaulting --programmatic-validation",
            "create api --group apps --version v1 --kind Deployment",
        ),
    ),
    "one namespace": Variant(
        "--namespaced",
        (
            f"create api {SHOP}",
            "create api --group shop --version v1 --kind Street --no-namespaced",
            f"create webhook {SHOP} --defaulting",
        ),
    ),
    "three versions": Variant(
        "",
        (
            f"create api {SHOP}",
            "create api --group shop --version v2 --kind Shop",
            "create api --group shop --version v3beta1 --kind Shop --no-controller",
            f"create webhook {SHOP} --conversion --spoke v2,v3beta1",
        ),
    ),
    "without controllers": Variant(
        "",
        (
            f"create api {SHOP}",
            "create api --group shop --version v2 --kind Shop",
            "create api --group shop --version v1 --kind Till --no-controller",
        ),
    ),
    "images": Variant(
        "",
        (
            f"create api {CACHE} {MEMCACHED}",
            "create api --group cache --version v1 --kind Busybox --image busybox:1",
            "create api --group cache --version v2 --kind Memcached",
            f"create webhook {CACHE} --conversion --spoke v2 --defaulting",
        ),
    ),
    "kinds of others": Variant(
        "",
        (
            "create api --group core --version v1 --kind Pod",
            "create webhook --group core --version v1 --kind Pod --programmatic-validation",
            "create webhook --group networking --version v1 --kind Ingress --defaulting",
            f"create api {ISSUER}",
            f"create webhook {ISSUER} --defaulting --programmatic-validation",
        ),
    ),
    "long names": Variant(
        "--multigroup",
        (
            f"create api {LONG.format('v1alpha1')}",
            f"create api {LONG.format('v1alpha2')}",
            f"create webhook {LONG.format('v1alpha1')} --conversion --spoke v1alpha2 --defaulting",
            f"create api --group databases --version v1 --kind PostgresClusterBackup {POSTGRES}",
        ),
        "long-names-of-a-very-good-operator-project",
    ),
    "moved": Variant(
        "",
        (
            f"create api {SHOP}",
            "create api --group shop --version v2 --kind Shop",
            f"create webhook {SHOP} --conversion --spoke v2 --programmatic-validation",
            "edit --multigroup --namespaced --owner Me",
            "create api --group cache --version v1 --kind Memcached",
        ),
    ),
}

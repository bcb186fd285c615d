"""What users say of a role on the command line."""

import msgspec

from kubewright.errors import ConfigError

__all__ = ["RoleOptions"]

_SCHEMAS = ("none", "defaults")


class RoleOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options about a role.

    Attributes:
        generate_role: Whether to make one.
        generate_playbook: Whether to make a playbook.
        crd_schema: Whether the CRD has the schema of the defaults; empty if that was not said.
    """

    generate_role: bool = False
    generate_playbook: bool = False
    crd_schema: str = ""

    @property
    def said(self) -> list[str]:
        """The options that were given."""
        return [*self.generated, *(["--crd-schema"] if self.crd_schema else [])]

    @property
    def generated(self) -> list[str]:
        """The options that say what to make."""
        given = {
            "--generate-role": self.generate_role,
            "--generate-playbook": self.generate_playbook,
        }
        return [name for name, value in given.items() if value]

    def check(self) -> None:
        """Check that the options are known.

        Raises:
            ConfigError: They are not.
        """
        if self.crd_schema not in {"", *_SCHEMAS}:
            raise ConfigError(
                f"--crd-schema: {self.crd_schema!r} is not known. Say defaults, for the schema of"
                " the role's defaults, or none"
            )

"""The parts of the file PROJECT that say what was chosen for one kind."""

from pathlib import PurePosixPath

import msgspec

__all__ = ["ChartUse", "Image", "Part", "RoleUse"]


class Part(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """A part of the file; what it does not know is in *other*, under the names in the file."""


class Image(Part):
    """What the pods of a kind run, if the kind was made for an image.

    Attributes:
        image: The image.
        container_command: The words of the command, with commas between them.
        container_port: The port that it listens on.
        run_as_user: The user that it runs as.
    """

    image: str
    container_command: str = ""
    container_port: str = ""
    run_as_user: str = ""

    def __post_init__(self) -> None:
        for name, said in (("containerPort", self.container_port), ("runAsUser", self.run_as_user)):
            if said and not (said.isascii() and said.isdecimal()):
                raise ValueError(f"{name} is {said!r}, and not a number in quotes")

    @property
    def command(self) -> list[str]:
        """The words of the command; empty for that of the image."""
        return self.container_command.split(",") if self.container_command else []

    @property
    def port(self) -> int | None:
        """The port, if there is one."""
        return int(self.container_port) if self.container_port else None

    @property
    def user(self) -> int | None:
        """The user, if it is not that of the image."""
        return int(self.run_as_user) if self.run_as_user else None


class ChartUse(Part):
    """The chart whose values are the spec of a kind.

    Attributes:
        chart: Its folder in the project.
        crd_schema: What the CRD says of the spec: ``values`` for the schema of the chart's values,
            ``none`` for nothing.
    """

    chart: str
    crd_schema: str = "none"


class RoleUse(Part):
    """What Ansible runs for a kind.

    Attributes:
        role: Its role, by name; empty if there is only a playbook.
        playbook: The playbook, as a path in the project; empty if the role is run by itself.
        crd_schema: What the CRD says of the spec: ``defaults`` for the schema of the role's
            defaults, ``none`` for nothing.
    """

    role: str = ""
    playbook: str = ""
    crd_schema: str = "none"

    @property
    def name(self) -> str:
        """The name of the role, and of the file of the playbook."""
        return self.role or PurePosixPath(self.playbook).stem

    @property
    def runs(self) -> dict[str, str]:
        """What ``watches.yaml`` says of it."""
        return {"playbook": self.playbook} if self.playbook else {"role": self.role}

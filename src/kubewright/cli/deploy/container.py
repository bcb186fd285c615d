"""The commands ``kubewright docker-build``, ``docker-push`` and ``docker-buildx``."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kubewright.cli.deploy.image import Image, parse_image
from kubewright.cli.project.folder import get_project
from kubewright.errors import ConfigError

__all__ = ["TOOLS", "build", "build_for_platforms", "find_tool", "push"]

TOOLS: tuple[str, ...] = ("docker", "podman", "buildah")
VARIABLE: str = "CONTAINER_TOOL"
_BUILDER = "kubewright"


class Step(NamedTuple):
    """A command to run.

    Attributes:
        words: The program and its arguments.
        may_fail: Whether the next one runs all the same.
    """

    words: tuple[str, ...]
    may_fail: bool = False


def build(image: str, *, tool: str = "", file: Path | None = None) -> int:
    """Build the image of the project; return the exit status of the tool.

    Raises:
        ConfigError: There is no such project, image, file or tool.
    """
    root, named = get_project().root, parse_image(image, option="IMG")
    program = find_tool(tool)
    return run([Step((program, "build", "--tag", str(named), *_file(root, file), "."))], root)


def push(image: str, *, tool: str = "") -> int:
    """Push the image to its registry; return the exit status of the tool.

    Raises:
        ConfigError: There is no such image or tool.
    """
    named = parse_image(image, option="IMG")
    return run([Step((find_tool(tool), "push", str(named)))], Path.cwd())


def build_for_platforms(
    image: str, platforms: str, *, tool: str = "", file: Path | None = None
) -> int:
    """Build the image for several platforms, and push it; return the exit status of the tool.

    Raises:
        ConfigError: There is no such project, image, platform, file or tool.
    """
    root, named = get_project().root, parse_image(image, option="IMG")
    program = find_tool(tool)
    steps = steps_of(program, named, _platforms(platforms), _file(root, file))
    return run(steps, root)


def steps_of(program: str, image: Image, platforms: str, file: Sequence[str]) -> list[Step]:
    """Return the commands that build for several platforms, in the tool's own way."""
    if Path(program).name == "docker":
        # The builder that docker begins with builds for one platform only.
        made = (program, "buildx", "create", "--name", _BUILDER)
        used = ("--builder", _BUILDER, "--platform", platforms, "--tag", str(image), *file)
        return [
            Step(made, may_fail=True),
            Step((program, "buildx", "build", "--push", *used, ".")),
        ]
    wanted = ("--platform", platforms, "--manifest", str(image), *file)
    return [
        Step((program, "manifest", "rm", str(image)), may_fail=True),  # images would pile up in it
        Step((program, "build", *wanted, ".")),
        Step((program, "manifest", "push", "--all", str(image), f"docker://{image}")),
    ]


def find_tool(name: str = "", environ: Mapping[str, str] | None = None) -> str:
    """Return the program that builds images: the one that is named, or the first that is here.

    Args:
        name: Its name or path; by default that in ``$CONTAINER_TOOL``.
        environ: The environment; that of this process by default.

    Raises:
        ConfigError: It is not here, or not one that is known.
    """
    environ = os.environ if environ is None else environ
    origin = "--tool" if name else f"${VARIABLE}"
    wanted = name or environ.get(VARIABLE, "")
    path = environ.get("PATH")
    if not wanted:
        found = next((one for one in TOOLS if shutil.which(one, path=path)), None)
        if found is None:
            raise ConfigError(
                f"none of {', '.join(TOOLS)} is here, and one of them is needed to build and push"
                " images. Install one; on Debian and Ubuntu: apt-get install podman"
            )
        return found
    if Path(wanted).name not in TOOLS:
        raise ConfigError(f"{origin} is {wanted}, and only {', '.join(TOOLS)} are known")
    if not shutil.which(wanted, path=path):
        raise ConfigError(f"{origin} is {wanted}, and there is no such program on the PATH")
    return wanted


def run(steps: Sequence[Step], folder: Path) -> int:
    """Run the commands until one fails; return its exit status, or 0.

    Raises:
        ConfigError: A program cannot be started.
    """
    for step in steps:
        print(f"+ {shlex.join(step.words)}", file=sys.stderr, flush=True)  # noqa: T201  # as make
        status = _run(step.words, folder)
        if status and not step.may_fail:
            return status
    return 0


def _run(words: Sequence[str], folder: Path) -> int:
    try:
        process = subprocess.Popen(words, cwd=folder)  # noqa: S603  # what was just printed
    except OSError as error:
        raise ConfigError(f"cannot start {words[0]}: {error.strerror}") from error
    while True:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            continue  # the tool has heard it, too, and cleans up
        # A signal has a negative number here; shells add it to 128.
        return status if status >= 0 else 128 - status


def _file(root: Path, file: Path | None) -> tuple[str, ...]:
    """Return the option for the Dockerfile, if it is not where tools look for it."""
    names = [file] if file else [Path("Dockerfile"), Path("Containerfile")]
    if not any((root / name).is_file() for name in names):
        raise ConfigError(
            f"there is no {names[0]} in {root}. `kubewright init` makes one; --file names another"
        )
    return ("--file", str(file)) if file else ()


def _platforms(text: str) -> str:
    parts = [one.strip() for one in text.split(",")]
    for one in parts:
        words = one.split("/")
        if len(words) not in {2, 3} or not all(word.replace(".", "").isalnum() for word in words):
            raise ConfigError(
                f"--platform: {one!r} is not a platform. Write them as linux/amd64,linux/arm64"
            )
    return ",".join(parts)

"""The samples that are projects, made anew by the commands: ``python -m tests.e2e.projects``.

What somebody has written after that stays; all other files are those of the templates.
"""

import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

from kubewright.scaffold.project import Project
from tests.e2e.program import EXAMPLES, RUN

PROJECTS = tuple(sorted(file.parent.name for file in EXAMPLES.glob("*/PROJECT")))
UNTOUCHED = "guestbook"
"""The one with nothing added."""
CHARTS = ("memcached_helm",)
"""Those whose chart somebody has written."""


def files_of(folder: Path) -> dict[str, str]:
    """Return the files of a project, by path, without what its tools leave behind."""
    found = (path for path in folder.rglob("*") if path.is_file())
    named = {str(path.relative_to(folder)): path for path in found}
    return {
        name: path.read_text() for name, path in sorted(named.items()) if not is_left_behind(name)
    }


def is_left_behind(name: str) -> bool:
    """Tell whether a tool made a file, for itself."""
    return any(part == "__pycache__" or part.endswith("_cache") for part in Path(name).parts)


def made_by_commands(sample: str) -> dict[str, str]:
    """Return the files of a sample as the commands make them, as its file PROJECT says."""
    project = Project.read((EXAMPLES / sample / "PROJECT").read_text())
    with TemporaryDirectory() as place:
        folder = Path(place)
        named = ["--domain", project.domain, "--project-name", project.project_name]
        if project.is_helm:
            make_of_charts(folder, sample, project, named)
            return files_of(folder)
        if project.is_ansible:
            make_of_roles(folder, sample, project, named)
            return files_of(folder)
        run(folder, "init", *named, "--license", "none")
        for one in project.resources:
            kind = ["--group", one.group, "--version", one.version, "--kind", one.kind]
            run(folder, "create", "api", *kind, "--resource", "--controller")
        return files_of(folder)


def make_of_charts(folder: Path, sample: str, project: Project, named: list[str]) -> None:
    """Make a project without code; charts that somebody has written are taken from the sample."""
    run(folder, "init", "--plugins", "helm", *named)
    for one in project.resources:
        used = project.chart_of(one)
        assert used is not None
        kind = ["--group", one.group, "--version", one.version, "--kind", one.kind]
        chart = ["--helm-chart", str(EXAMPLES / sample / used.chart)]
        said = ["--crd-schema", used.crd_schema, *(chart if sample in CHARTS else ())]
        run(folder, "create", "api", *kind, *said)


def make_of_roles(folder: Path, sample: str, project: Project, named: list[str]) -> None:
    """Make a project without code whose roles somebody has written: they are there first."""
    run(folder, "init", "--plugins", "ansible", *named)
    shutil.copytree(EXAMPLES / sample / "roles", folder / "roles", dirs_exist_ok=True)
    for one in project.resources:
        used = project.role_of(one)
        assert used is not None
        kind = ["--group", one.group, "--version", one.version, "--kind", one.kind]
        run(folder, "create", "api", *kind, "--crd-schema", used.crd_schema)


def run(folder: Path, *arguments: str) -> None:
    """Run a command of ours in a folder."""
    subprocess.run(
        [sys.executable, "-c", RUN, *arguments], cwd=folder, check=True, capture_output=True
    )


def is_written(sample: str, name: str) -> bool:
    """Tell whether somebody has written a file after the commands had made it."""
    project = Project.read((EXAMPLES / sample / "PROJECT").read_text())
    patterns = ["README.md"]
    if project.is_codeless:
        return name in patterns
    for one in project.resources:
        kind = one.kind.lower()
        patterns.append(f"config/samples/*_{kind}.yaml")
        if sample != UNTOUCHED:
            patterns += [f"*/{kind}.py", f"tests/test_{kind}_controller.py"]
    return any(fnmatch(name, pattern) for pattern in patterns)


def is_manifest(name: str) -> bool:
    """Tell whether ``kubewright manifests`` makes a file, from the code that was written."""
    return name.startswith("config/crd/bases/") or name == "config/rbac/role.yaml"


def renew(sample: str) -> None:
    """Write the files of a sample that nobody has touched, as the commands make them now."""
    for name, text in made_by_commands(sample).items():
        if not is_written(sample, name):
            path = EXAMPLES / sample / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    run(EXAMPLES / sample, "manifests")


if __name__ == "__main__":
    for sample in PROJECTS:
        renew(sample)

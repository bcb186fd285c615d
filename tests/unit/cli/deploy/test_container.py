"""``docker-build``, ``docker-push``, ``docker-buildx``, with tools that only note their words."""

from pathlib import Path

import pytest

from kubewright.cli.deploy.container import find_tool, steps_of
from kubewright.cli.deploy.image import parse_image
from kubewright.errors import ConfigError
from tests.unit.cli.deploy.place import Place, run

SAY = '#!/bin/sh\necho "$(basename "$0") $* in $(basename "$PWD")" >> "$SAID"\n'


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for tools, which is all that is on the PATH besides a shell."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("SAID", str(tmp_path / "said"))
    return folder


def put(folder: Path, name: str, *, status: int = 0, text: str = SAY) -> None:
    """Make a tool that notes how it was called."""
    path = "PATH=/usr/bin:/bin\n"
    (folder / name).write_text(f"#!/bin/sh\n{path}{text.partition(chr(10))[2]}exit {status}\n")
    (folder / name).chmod(0o755)


def said(folder: Path) -> list[str]:
    """Return how the tools were called."""
    file = folder.parent / "said"
    return file.read_text().splitlines() if file.exists() else []


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("tool", ["docker", "podman", "buildah"])
def test_whichever_tool_is_here_builds_and_pushes(tool: str, tools: Path) -> None:
    """The command is printed first, so that it can be repeated by hand."""
    put(tools, tool)

    built = run("docker-build", "a.b/shop:v1")
    pushed = run("docker-push", "a.b/shop:v1")

    assert (built.status, pushed.status) == (0, 0)
    assert built.err == f"+ {tool} build --tag a.b/shop:v1 .\n"
    assert said(tools) == [
        f"{tool} build --tag a.b/shop:v1 . in shop",
        f"{tool} push a.b/shop:v1 in shop",
    ]


@pytest.mark.usefixtures("place")
def test_the_status_of_the_tool_is_passed_on(tools: Path) -> None:
    """``make`` stops there."""
    put(tools, "docker", status=7)

    assert run("docker-build", "a.b/shop:v1").status == 7
    assert run("docker-push", "a.b/shop:v1").status == 7


@pytest.mark.usefixtures("place")
def test_a_tool_that_is_killed_ends_as_in_a_shell(tools: Path) -> None:
    """128 and the number of the signal."""
    put(tools, "docker", text="\nkill -TERM $$\n")

    assert run("docker-build", "a.b/shop:v1").status == 143


def test_a_project_is_built_from_its_own_folder(
    place: Place, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever in it the command is typed."""
    put(tools, "docker")
    monkeypatch.chdir(place.root / "config")

    run("docker-build", "a.b/shop:v1", "--file", "Dockerfile")

    assert said(tools) == ["docker build --tag a.b/shop:v1 --file Dockerfile . in shop"]


@pytest.mark.usefixtures("place")
def test_docker_builds_for_several_platforms_with_a_builder_of_its_own(tools: Path) -> None:
    """That which it begins with builds for one; it may be there from the last time."""
    put(tools, "docker", text=f"{SAY}[ $2 != create ] || exit 1\n")

    done = run("docker-buildx", "a.b/shop:v1", "--platform", "linux/amd64, linux/arm64")

    assert done.status == 0
    assert said(tools) == [
        "docker buildx create --name kubewright in shop",
        (
            "docker buildx build --push --builder kubewright --platform linux/amd64,linux/arm64"
            " --tag a.b/shop:v1 . in shop"
        ),
    ]


@pytest.mark.parametrize("tool", ["podman", "buildah"])
def test_others_collect_images_in_a_manifest(tool: str) -> None:
    """Which is made anew: images of the last time would stay in it."""
    steps = steps_of(tool, parse_image("a.b/shop:v1"), "linux/amd64,linux/arm64", ())

    assert [" ".join(one.words) for one in steps] == [
        f"{tool} manifest rm a.b/shop:v1",
        f"{tool} build --platform linux/amd64,linux/arm64 --manifest a.b/shop:v1 .",
        f"{tool} manifest push --all a.b/shop:v1 docker://a.b/shop:v1",
    ]
    assert [one.may_fail for one in steps] == [True, False, False]


def test_the_tool_is_that_which_is_named_or_the_first(tools: Path) -> None:
    """Docker is the one that people mean, if it is there."""
    for name in ("podman", "docker"):
        put(tools, name)
    path = str(tools)

    assert find_tool(environ={"PATH": path}) == "docker"
    assert find_tool(environ={"PATH": path, "CONTAINER_TOOL": "podman"}) == "podman"
    assert find_tool("docker", {"PATH": path, "CONTAINER_TOOL": "podman"}) == "docker"
    assert find_tool(str(tools / "podman"), {"PATH": path}) == str(tools / "podman")
    with pytest.raises(ConfigError, match=r"^\$CONTAINER_TOOL is buildah, and there is no such"):
        find_tool(environ={"PATH": path, "CONTAINER_TOOL": "buildah"})


IMG = "a.b/shop:v1"
BAD = [
    ([], "", "Missing argument 'IMG'"),
    ([""], "", "IMG is empty: which image?"),
    (["Shop"], "", "IMG: 'Shop' is not the name of an image: it has capital letters"),
    (["a b"], "", "it has a blank in it"),
    (["docker://a"], "", "it begins with docker://"),
    (["a@b"], "", "is not a digest"),
    ([IMG], "", "none of docker, podman, buildah is here"),
    ([IMG, "--tool", "nerdctl"], "", "--tool is nerdctl, and only docker, podman, buildah"),
    ([IMG, "--tool", "podman"], "", "--tool is podman, and there is no such program on the PATH"),
    ([IMG, "extra"], "", "unexpected extra argument"),
]
BUILD_ONLY = [
    ([IMG, "--tool", "docker"], "Dockerfile", "there is no Dockerfile in"),
    ([IMG, "--tool", "docker", "--file", "no"], "", "there is no no in"),
    ([IMG], "PROJECT", "there is no project here"),
]


@pytest.mark.parametrize("command", ["docker-build", "docker-push", "docker-buildx"])
@pytest.mark.parametrize(("words", "removed", "said_of_it"), [*BAD, *BUILD_ONLY])
def test_what_is_wrong_is_said_and_nothing_is_run(
    command: str, words: list[str], removed: str, said_of_it: str, place: Place, tools: Path
) -> None:
    """With status 2."""
    if command == "docker-push" and (words, removed, said_of_it) in BUILD_ONLY:
        pytest.skip("a push needs no project")
    if "docker" in words:
        put(tools, "docker")
    if removed:
        place.remove(removed)

    done = run(command, *words)

    assert said_of_it in done.err
    assert done.status == 2
    assert said(tools) == []


@pytest.mark.parametrize("platforms", ["", "linux", "linux/amd64,", "linux/am d64", "a/b/c/d"])
def test_a_platform_that_is_none_is_refused(platforms: str, place: Place, tools: Path) -> None:
    """Before half of them are built."""
    put(tools, "docker")

    done = run("docker-buildx", IMG, "--platform", platforms)

    assert done.status == 2
    assert "is not a platform. Write them as linux/amd64,linux/arm64\n" in done.err
    assert said(tools) == []


@pytest.mark.usefixtures("place")
def test_a_tool_that_does_not_start_is_said(tools: Path) -> None:
    """A broken installation is not ours."""
    (tools / "docker").write_text("no program\x00")
    (tools / "docker").chmod(0o755)

    done = run("docker-push", IMG)

    assert "cannot start docker: Exec format error" in done.err

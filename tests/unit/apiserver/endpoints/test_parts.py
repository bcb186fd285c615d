"""Subresources that are a part of their object."""

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import PODS, STRATEGIC, ask, make, named, pod

EPHEMERAL = {"name": "debug", "image": "busybox"}


async def test_ephemeral_containers_are_added_to_a_running_pod(server: APIServer) -> None:
    """Nothing else of the pod can be changed that way."""
    made = await make(server, PODS, pod("a"))
    made["spec"]["ephemeralContainers"] = [EPHEMERAL]
    made["metadata"]["labels"] = {"sneaked": "in"}
    made["spec"]["containers"][0]["image"] = "other"

    answer = await ask(server, "PUT", f"{PODS}/a/ephemeralcontainers", made)

    spec = answer.obj["spec"]
    assert answer.status == 200
    assert [one["name"] for one in spec["ephemeralContainers"]] == ["debug"]
    assert spec["containers"][0]["image"] == "i"


async def test_a_part_may_be_read_and_patched(server: APIServer) -> None:
    """Kubectl debug sends a strategic patch."""
    await make(server, PODS, pod("a"))
    change = {"spec": {"ephemeralContainers": [EPHEMERAL]}}

    patched = await ask(server, "PATCH", f"{PODS}/a/ephemeralcontainers", change, media=STRATEGIC)
    read = await ask(server, "GET", f"{PODS}/a/ephemeralcontainers")

    assert (patched.status, read.obj) == (200, patched.obj)


async def test_the_finalizers_of_a_namespace_are_a_part(server: APIServer) -> None:
    """Only the subresource changes them, so that nobody skips the clean-up by accident."""
    path = "/api/v1/namespaces/a"
    made = await make(server, "/api/v1/namespaces", "a")
    spec = {"spec": {"finalizers": ["x.io/y"]}}

    await ask(server, "PUT", path, {**named("a"), **spec})
    plain = await ask(server, "GET", path)
    finalized = await ask(server, "PUT", f"{path}/finalize", {**made, **spec})

    assert plain.obj["spec"] == {"finalizers": ["kubernetes"]}
    assert finalized.obj["spec"] == {"finalizers": ["x.io/y"]}

"""The official client: pages of 500 into a dict, then its `Watch`."""

from typing import Any

from kubernetes import (  # type: ignore[import-not-found]  # only in .venv-bench
    client,
    config,
    watch,
)

from bench.measure import EventTimer, ListTimer, Numbers, Work, time_threads


def _api() -> Any:
    config.load_kube_config()
    settings = client.Configuration.get_default_copy()
    # The default is too small for 32 threads: it would measure TLS handshakes.
    settings.connection_pool_maxsize = 40
    return client.CoreV1Api(client.ApiClient(settings))


def _fill(api: Any, pods: dict[str, Any]) -> str:
    """Fill *pods* with all of them; return the version of the list."""
    token = None
    while True:
        page = api.list_pod_for_all_namespaces(limit=500, _continue=token)
        for pod in page.items:
            pods[f"{pod.metadata.namespace}/{pod.metadata.name}"] = pod
        token = page.metadata._continue  # noqa: SLF001  # its public name for `continue`
        if not token:
            return str(page.metadata.resource_version)


def list_pods(work: Work) -> Numbers:
    """Measure the list."""
    api = _api()
    api.list_namespace(limit=1)
    pods: dict[str, Any] = {}
    timer = ListTimer()
    _fill(api, pods)
    return timer.done(pods, expected=work.pods)


def watch_pods(work: Work) -> Numbers:
    """Measure the watch."""
    api = _api()
    pods: dict[str, Any] = {}
    version = _fill(api, pods)
    timer = EventTimer(work.events)
    stream = watch.Watch().stream(api.list_pod_for_all_namespaces, resource_version=version)
    for event in stream:
        pod = event["object"]
        pods[f"{pod.metadata.namespace}/{pod.metadata.name}"] = pod
        if timer.hit():
            break
    return timer.result()


def requests(work: Work) -> Numbers:
    """Measure single requests."""
    api = _api()

    def get(number: int) -> None:
        api.read_namespaced_config_map("one", "bench")

    def patch(number: int) -> None:
        body = {"metadata": {"labels": {"x": str(number)}}}
        api.patch_namespaced_config_map("one", "bench", body)

    return time_threads({"get": get, "patch": patch}[work.verb], work)

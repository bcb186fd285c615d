"""Counts of requests, in Prometheus' text format and with Kubernetes' names."""

from collections import Counter

from kubewright.apiserver.wire.route import Route

BUCKETS: tuple[float, ...] = (0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 1, 2, 5, 10, 30, 60)
_TOTAL = "apiserver_request_total"
_SECONDS = "apiserver_request_duration_seconds"

Key = tuple[str, str, str, str, str]


class Metrics:
    """Counts requests."""

    def __init__(self) -> None:
        self._total: Counter[tuple[Key, int]] = Counter()
        self._seconds: dict[Key, list[float]] = {}

    def count(self, route: Route, code: int, seconds: float) -> None:
        """Note one request."""
        key = (route.verb.upper(), route.group, route.version, route.resource, route.subresource)
        self._total[key, code] += 1
        if route.verb == "watch":
            return
        found = self._seconds.get(key)
        if found is None:
            found = self._seconds[key] = [0.0] * (len(BUCKETS) + 2)
        for index, limit in enumerate(BUCKETS):
            if seconds <= limit:
                found[index] += 1
                break
        found[-2] += 1
        found[-1] += seconds

    def text(self, gauges: dict[str, float]) -> bytes:
        """Return everything, and *gauges* that are known elsewhere."""
        lines = [
            f"# HELP {_TOTAL} Number of requests by verb, resource and HTTP response code.",
            f"# TYPE {_TOTAL} counter",
        ]
        for (key, code), value in sorted(self._total.items()):
            lines.append(f'{_TOTAL}{{code="{code}",{_labels(key)}}} {value}')
        lines += [
            f"# HELP {_SECONDS} Response latency distribution in seconds.",
            f"# TYPE {_SECONDS} histogram",
        ]
        for key, found in sorted(self._seconds.items()):
            lines += _histogram(_labels(key), found)
        typed: set[str] = set()
        for name, level in gauges.items():
            if (metric := name.partition("{")[0]) not in typed:
                typed.add(metric)
                lines.append(f"# TYPE {metric} gauge")
            lines.append(f"{name} {_number(level)}")
        return ("\n".join(lines) + "\n").encode()


def _labels(key: Key) -> str:
    verb, group, version, resource, subresource = map(_escaped, key)
    return (
        f'group="{group}",resource="{resource}",subresource="{subresource}",verb="{verb}",'
        f'version="{version}"'
    )


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _histogram(labels: str, found: list[float]) -> list[str]:
    lines, below = [], 0.0
    for limit, value in zip(BUCKETS, found, strict=False):
        below += value
        lines.append(f'{_SECONDS}_bucket{{{labels},le="{limit:g}"}} {_number(below)}')
    lines.append(f'{_SECONDS}_bucket{{{labels},le="+Inf"}} {_number(found[-2])}')
    lines.append(f"{_SECONDS}_sum{{{labels}}} {found[-1]:.9f}")
    lines.append(f"{_SECONDS}_count{{{labels}}} {_number(found[-2])}")
    return lines

"""Where Kubernetes 1.37, which the embedded server follows, prints other lines than 1.20 did."""

from tests.kubectl.session import Difference

POD_GENERATION = Difference(
    why="pods have had a generation since 1.33",
    newer=[r'"?generation"?: 1,?'],
)
NO_NULL_TIME = Difference(
    why="1.20 wrote the creation time of a pod template, which never has one, as null",
    older=["creationTimestamp: null"],
)
ENDPOINTS_WARNING = Difference(
    why="Endpoints have been deprecated since 1.33",
    newer=["Warning: v1 Endpoints is deprecated in v1.33.*"],
)
SERVICE = Difference(
    why="dual-stack services came with 1.21, the internal traffic policy with 1.22",
    newer=["IP Family Policy: .*", "IP Families:  IPv4", "Internal Traffic Policy: .*"],
    older=["IP Families:  <none>"],
)
NAMESPACE_LABEL = Difference(
    why="namespaces have had their name as a label since 1.21",
    newer=["Labels:  kubernetes.io/metadata.name=.*"],
    older=["Labels:  <none>"],
)
STRICT = Difference(
    why="the server checks fields since 1.25; for older ones kubectl does it itself",
    expect=r'strict decoding error: unknown field "\S+"',
)
GO_JSON = Difference(
    why="1.20 used another JSON library, with messages of its own",
    expect=r"json: cannot unmarshal \w+ into Go struct field \S+ of type \w+",
)


def columns(header: str, *rows: str, why: str) -> Difference:
    """Return a difference of columns: the whole table is then as given, its cells as patterns."""
    lines = [header.replace("(", r"\(").replace(")", r"\)"), *rows]
    return Difference(why=why, expect="^" + "\n".join(lines) + "$")

r"""Generate ``kubewright.kinds`` from an OpenAPI v2 document.

    python tools/generate_kinds.py \
        --openapi src/kubewright/apiserver/data/kubernetes-openapi-v2.json
    python tools/generate_kinds.py --server https://localhost:6443 --token-file token --check

One module is written for each group and version, and a table by which `kubewright.kinds.find`
knows them. Exit status: 0 for done or up to date, 1 for stale (with --check), 2 for wrong input.
"""

import argparse
import json
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

if not __package__:  # run as a script: the folder above `tools` is where its modules are found
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.kindgen.document import Document  # after the path is known
from tools.kindgen.names import InputError  # after the path is known
from tools.kindgen.render import MARK, Renderer  # after the path is known


def read_json(text: bytes | str, where: str) -> Any:
    """Parse what was read from *where*."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"cannot read {where}: it is not JSON: {error}") from None


def read_file(path: Path) -> Any:
    """Read a JSON file."""
    try:
        return read_json(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def read_server(arguments: argparse.Namespace) -> Any:
    """Read ``/openapi/v2`` of a live server."""
    url = arguments.server.rstrip("/") + "/openapi/v2"
    if not url.startswith(("http://", "https://")):
        raise InputError(f"cannot read {url}: give --server as https://host:port")
    token = arguments.token or (arguments.token_file and arguments.token_file.read_text().strip())
    headers = {"Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, headers=headers)  # noqa: S310  # checked above
    try:
        context = _tls(arguments)
        with urllib.request.urlopen(request, timeout=30, context=context) as answer:  # noqa: S310  # checked above
            return read_json(answer.read(), url)
    except urllib.error.HTTPError as error:
        error.close()  # it is the answer too, with a connection of its own
        hint = "; give --token or --token-file" if error.code in {401, 403} else ""
        raise InputError(f"cannot read {url}: the server answered {error.code}{hint}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {url}: {error}") from None


def _tls(arguments: argparse.Namespace) -> ssl.SSLContext | None:
    if not arguments.server.startswith("https://"):
        return None
    context = ssl.create_default_context(cafile=arguments.ca_file)
    if arguments.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if arguments.client_certificate:
        context.load_cert_chain(arguments.client_certificate, arguments.client_key)
    return context


def generate(document: Any, discovery: Iterable[Any] = ()) -> dict[str, str]:
    """Return the text of every generated file, by its path within ``kubewright.kinds``.

    Raises:
        InputError: The document cannot be turned into classes.
    """
    return Renderer(Document.of(document, discovery)).files()


def stale(wanted: Mapping[str, str], out: Path) -> dict[Path, str | None]:
    """Return the files under *out* that are to be written, and with None those to be removed."""
    changes: dict[Path, str | None] = {
        out / name: text
        for name, text in wanted.items()
        if not (out / name).is_file() or (out / name).read_text() != text
    }
    for path in sorted(out.rglob("*.py")):
        left_over = str(path.relative_to(out)) not in wanted
        if left_over and path.read_text().startswith(MARK):
            changes[path] = None
    return changes


def write(changes: Mapping[Path, str | None]) -> None:
    """Write and remove files as `stale` said."""
    for path, text in changes.items():
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--openapi", type=Path, metavar="FILE", help="an OpenAPI v2 document")
    source.add_argument("--server", metavar="URL", help="a live server, asked for /openapi/v2")
    parser.add_argument(
        "--discovery", type=Path, action="append", default=[], metavar="FILE",
        help="aggregated discovery, for plurals that the paths do not tell",
    )  # fmt: skip
    parser.add_argument("--token", help="bearer token for --server")
    parser.add_argument("--token-file", type=Path, metavar="FILE")
    parser.add_argument(
        "--ca-file", metavar="FILE", help="certificates that --server is checked by"
    )
    parser.add_argument("--client-certificate", metavar="FILE")
    parser.add_argument("--client-key", metavar="FILE")
    parser.add_argument("--insecure", action="store_true", help="do not verify the server")
    parser.add_argument("--out", type=Path, default=Path("src/kubewright/kinds"), metavar="FOLDER")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Generate or check; return the exit status."""
    arguments = parse(argv)
    try:
        document = read_server(arguments) if arguments.server else read_file(arguments.openapi)
        wanted = generate(document, [read_file(path) for path in arguments.discovery])
        changes = stale(wanted, arguments.out)
        if not arguments.check:
            write(changes)
    except (InputError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path, text in changes.items():
        done = "removed" if text is None else "wrote"
        print(f"{'stale' if arguments.check else done} {path}")
    if not changes:
        print(f"up to date: {len(wanted)} files in {arguments.out}")
    return 1 if arguments.check and changes else 0


if __name__ == "__main__":
    sys.exit(main())

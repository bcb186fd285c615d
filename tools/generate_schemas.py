r"""Generate ``kubewright/kinds/schemas.json`` from the OpenAPI v3 documents of Kubernetes.

    git clone --branch v1.37.0 https://github.com/kubernetes/kubernetes k37
    python tools/generate_schemas.py 1.36=k36/api/openapi-spec/v3 1.37=k37/api/openapi-spec/v3

Versions that are not named are left out, so name all that are to be shipped, the oldest first. The
parts are those of the classes in ``kubewright.kinds``. Exit status: 0 for done, 2 for wrong input.
"""

import argparse
import sys
from pathlib import Path

if not __package__:  # run as a script: the folder above `tools` is where its modules are found
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.generate_kinds import read_file  # after the path is known
from tools.kindgen.document import Document  # after the path is known
from tools.kindgen.names import InputError  # after the path is known
from tools.kindgen.schemas import (  # after the path is known
    Definitions,
    definitions_in,
    label_of,
    reachable,
    render,
)

KINDS = Path("src/kubewright/apiserver/data/kubernetes-openapi-v2.json")
OUT = Path("src/kubewright/kinds/schemas.json")


def read_version(folder: Path, roots: set[str]) -> Definitions:
    """Return the parts of the *roots*, from all documents in *folder*."""
    paths = sorted(folder.glob("*_openapi.json"))
    if not paths:
        raise InputError(f"there is no *_openapi.json in {folder}")
    return reachable(definitions_in(read_file(path) for path in paths), roots)


def main(argv: list[str] | None = None) -> int:
    """Generate; return the exit status."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("versions", nargs="+", metavar="VERSION=FOLDER")
    parser.add_argument("--kinds", type=Path, default=KINDS, metavar="FILE")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE")
    arguments = parser.parse_args(argv)
    try:
        document = Document.of(read_file(arguments.kinds))
        roots = {label_of(name) for name in document.definitions}
        pairs = [one.partition("=") for one in arguments.versions]
        versions = {name: read_version(Path(folder), roots) for name, _, folder in pairs}
        arguments.out.write_text(render(versions))
    except (InputError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"wrote {arguments.out}: {', '.join(versions)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

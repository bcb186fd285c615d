"""Unpacks one collection of Ansible out of the wheel that has all of them."""

import sys
import zipfile
from pathlib import Path


def main(folder: str, collection: str, target: str) -> None:
    """Unpack *collection* from the wheel in *folder* into *target*."""
    (wheel,) = Path(folder).glob("ansible-*.whl")
    place = f"ansible_collections/{collection.replace('.', '/')}/"
    with zipfile.ZipFile(wheel) as file:
        names = [one for one in file.namelist() if one.startswith(place)]
        if not names:
            sys.exit(f"there is no collection {collection} in {wheel}")
        file.extractall(target, names)


if __name__ == "__main__":
    main(*sys.argv[1:])

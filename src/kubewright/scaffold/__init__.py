"""Projects: their files, as texts that are computed from what was asked for.

`Project` is the file PROJECT, which says what the project has. `init_files`, `api_files` and
`webhook_files` return the files of a scaffold; nothing here reads or writes one.
"""

from kubewright.scaffold.project import Project

__all__ = ["Project"]

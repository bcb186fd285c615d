"""Rewrite the golden projects: ``python -m tests.golden.scaffold.rewrite``; review reads the diff.

Each file has what one step adds to a project, or changes in it: the text of each file, below a line
with its path. Long files that hardly depend on the project are left out.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from kubewright.scaffold.ansible.creation import (
    RoleContents,
    ansible_api_files,
    ansible_init_files,
)
from kubewright.scaffold.ansible.rights import role_rights
from kubewright.scaffold.ansible.role import Role, new_playbook, new_role
from kubewright.scaffold.creation import Scaffold, api_files, init_files
from kubewright.scaffold.helm.chart import chart_of, default_chart
from kubewright.scaffold.helm.creation import Contents, helm_api_files, helm_init_files
from kubewright.scaffold.helm.rights import manifest_rights
from kubewright.scaffold.project import (
    ANSIBLE,
    API,
    HELM,
    LAYOUT,
    VERSION,
    ChartUse,
    Image,
    Project,
    ProjectResource,
    RoleUse,
    Webhooks,
)
from kubewright.scaffold.templates import CURRENT, Templates
from kubewright.scaffold.wanted import Wanted, foreign_resource, new_resource
from kubewright.scaffold.webhooks import webhook_files

FOLDER = Path(__file__).parent
LEFT_OUT = {"LICENSE", "grafana/operator.json"}
_HEAD = "=== "


class Tree:
    """A project in memory."""

    def __init__(self, name: str, *, multigroup: bool = False, namespaced: bool = False) -> None:
        self.templates = Templates()
        self.files: dict[str, str] = {}
        self.steps: dict[str, dict[str, str]] = {}
        self.project = Project(
            domain="example.com",
            project_name=name,
            repo=name,
            version=VERSION,
            layout=[LAYOUT],
            cli_version=CURRENT,
            multigroup=multigroup,
            namespaced=namespaced,
        )
        self.project.head(owner="Shop AG", license_name="apache2")

    def init(self, step: str) -> None:
        """Make the project."""
        self._take(step, init_files(self.project, self.templates))

    def api(self, step: str, wanted: Wanted, *, image: Image | None = None) -> None:
        """Add a kind and its controller."""
        resource = foreign_resource(wanted) or new_resource(self.project, wanted)
        own = resource.api is not None
        first = not list(self.project.versions_of(resource))
        resource.controller = first
        self.project.put(resource)
        if image is not None:
            self.project.put_image(resource, image)
        made = api_files(
            self.project,
            resource,
            self.templates,
            self.files.get,
            with_class=own,
            with_controller=first,
        )
        self._take(step, made)

    def chart(self, step: str, contents: Contents, *, kind: str, schema: str) -> None:
        """Add a kind that a chart installs."""
        resource = self.resource(kind)
        use = ChartUse(chart=contents.chart.folder, crd_schema=schema)
        self.project.put_chart(resource, use)
        made = helm_api_files(self.project, resource, self.templates, self.files.get, contents)
        self._take(step, made)

    def role(self, step: str, contents: RoleContents, use: RoleUse, *, kind: str) -> None:
        """Add a kind that a role is run for."""
        resource = self.resource(kind)
        self.project.put_role(resource, use)
        made = ansible_api_files(self.project, resource, self.templates, self.files.get, contents)
        self._take(step, made)

    def resource(self, kind: str) -> ProjectResource:
        """Put a kind into the project."""
        api = API(crd_version="v1", namespaced=True)
        resource = ProjectResource(
            kind=kind, version="v1alpha1", group="cache", domain="example.com", api=api
        )
        self.project.put(resource)
        return resource

    def webhook(self, step: str, wanted: Wanted, webhooks: Webhooks) -> None:
        """Add webhooks to a kind."""
        resource = self.project.find(wanted.group, wanted.version, wanted.kind)
        resource = resource or foreign_resource(wanted)
        assert resource is not None
        resource.webhooks = webhooks
        self.project.put(resource)
        made = webhook_files(
            self.project,
            resource,
            self.templates,
            self.files.get,
            admission=webhooks.admission,
            conversion=webhooks.conversion,
        )
        self._take(step, made)

    def _take(self, step: str, made: Scaffold) -> None:
        shared = {path: text for path, text in made.shared.items() if path not in self.files}
        changed = {**made.new, **shared, **made.changed}
        self.files |= changed
        self.steps[step] = {path: changed[path] for path in sorted(changed.keys() - LEFT_OUT)}


def single() -> Tree:
    """Return a project with one group: two versions, webhooks and a conversion."""
    tree = Tree("shop")
    tree.init("init")
    v1, v2 = (Wanted(group="shop", version=one, kind="Shop") for one in ("v1", "v2"))
    tree.api("api", v1)
    tree.webhook("webhook", v1, Webhooks(webhook_version="v1", defaulting=True, validation=True))
    tree.api("second_version", v2)
    converted = Webhooks(webhook_version="v1", conversion=True, spoke=("v2",))
    tree.webhook("conversion", v1, converted)
    return tree


def multi() -> Tree:
    """Return a project with several groups, that watches one namespace."""
    tree = Tree("town", multigroup=True, namespaced=True)
    tree.init("namespaced")
    tree.api("multigroup", Wanted(group="shop", version="v1", kind="Shop", namespaced=False))
    cache = Wanted(group="cache", version="v1", kind="Memcached")
    port = Image(
        image="memcached:1.6",
        container_command="memcached,-m=64",
        container_port="11211",
        run_as_user="1001",
    )
    tree.api("image", cache, image=port)
    pods = Wanted(group="core", version="v1", kind="Pod")
    tree.api("builtin", pods)
    tree.webhook("builtin_webhook", pods, Webhooks(webhook_version="v1", validation=True))
    tree.api("external", Wanted(group="cert-manager", version="v1", kind="Issuer", domain="io"))
    return tree


def charts() -> Tree:
    """Return a project without code: a chart of its own, and one of others with a schema."""
    tree = Tree("store")
    tree.project.layout, tree.project.repo = [HELM], ""
    tree.project.plugins.clear()
    tree._take("helm_init", helm_init_files(tree.project, tree.templates))
    own = default_chart("Nginx", tree.templates)
    tree.chart("helm_api", Contents(own), kind="Nginx", schema="none")
    other = chart_of(CHART, place="memcached")
    rights = manifest_rights(RENDERED, other, namespaced=False)
    tree.chart("helm_values", Contents(other, rights.rules), kind="Memcached", schema="values")
    return tree


def roles() -> Tree:
    """Return a project without code: a role of its own with a playbook, one with a schema."""
    tree = Tree("store")
    tree.project.layout, tree.project.repo = [ANSIBLE], ""
    tree.project.plugins.clear()
    tree._take("ansible_init", ansible_init_files(tree.project, tree.templates))
    kind = ProjectResource(
        kind="Nginx", version="v1alpha1", group="cache", api=API(namespaced=True)
    )
    own = new_role("nginx", kind, tree.templates)
    made = {f"{own.folder}/{path}": text for path, text in own.files.items()}
    made["playbooks/nginx.yml"] = new_playbook("nginx", kind, tree.templates, with_role=True)
    rights = role_rights(made, namespaced=False)
    use = RoleUse(role="nginx", playbook="playbooks/nginx.yml")
    tree.role("ansible_api", RoleContents(own, made, rights.rules), use, kind="Nginx")
    other = Role("memcached", ROLE)
    named = {f"{other.folder}/{path}": text for path, text in ROLE.items()}
    rights = role_rights(named, namespaced=False)
    checked = RoleUse(role="memcached", crd_schema="defaults")
    tree.role("ansible_defaults", RoleContents(other, {}, rights.rules), checked, kind="Memcached")
    return tree


ROLE = {
    "defaults/main.yml": "# -- How many pods there are.\npod_count: 1\n\nimage:\n  tag: '1.6'\n",
    "tasks/main.yml": """\
- name: Run it
  kubernetes.core.k8s:
    definition:
      apiVersion: apps/v1
      kind: Deployment
""",
}
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: memcached\nversion: 1.0.0\ndescription: A cache.\n",
    "values.yaml": "# -- How many pods there are.\nsize: 1\n\nimage:\n  tag: '1.6'\n",
    "values.schema.json": json.dumps(
        {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "minimum": 1, "description": "How many pods."},
                "image": {"$ref": "#/definitions/image"},
            },
            "definitions": {"image": {"type": "object", "properties": {"tag": {"type": "string"}}}},
        },
        indent=2,
    )
    + "\n",
    "templates/deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\n",
}
RENDERED = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: memcached
"""

TREES: tuple[Callable[[], Tree], ...] = (single, multi, charts, roles)


def golden_files() -> dict[str, dict[str, str]]:
    """Return what each golden file should contain, by path in the project."""
    return {f"{step}.txt": files for tree in TREES for step, files in tree().steps.items()}


def written(files: dict[str, str]) -> str:
    """Return *files* as one text."""
    return "\n".join(f"{_HEAD}{path}\n{text}" for path, text in files.items())


def read(text: str) -> dict[str, str]:
    """Return the files in *text*."""
    return dict(_parts(text))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    pieces = re.split(rf"(?:\A|\n){_HEAD}(.*)\n", text)
    yield from zip(pieces[1::2], pieces[2::2], strict=True)


if __name__ == "__main__":
    for found in golden_files().items():
        (FOLDER / found[0]).write_text(written(found[1]))

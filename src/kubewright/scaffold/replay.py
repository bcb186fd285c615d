"""A whole project, as it would be made today: what ``init`` and ``create`` wrote, all at once."""

import msgspec

from kubewright.scaffold.ansible.creation import ansible_api_files, ansible_init_files
from kubewright.scaffold.creation import Scaffold, api_files, init_files
from kubewright.scaffold.helm.creation import helm_api_files, helm_init_files
from kubewright.scaffold.project import Project, ProjectResource
from kubewright.scaffold.templates import Templates
from kubewright.scaffold.webhooks import webhook_files

__all__ = ["project_files"]


class _Files:
    """The files of a project that has not been written anywhere."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add(self, made: Scaffold) -> None:
        """Add what a command makes; shared files are there already, or new."""
        self.texts = {**made.shared, **self.texts, **made.new, **made.changed}


def project_files(project: Project, templates: Templates) -> dict[str, str]:
    """Return the files of *project* as the commands would make them, by path.

    The resources are made in the order in which PROJECT has them, and their webhooks after them.
    Manifests that are generated from the code are as the scaffold has them at first. What depends
    on a chart is not among them: the chart, its rules, the sample, a CRD with its schema.

    Args:
        project: What PROJECT says; it is not changed.
        templates: The templates.

    Example:
        >>> shop = Project(domain="example.com", project_name="shop", repo="shop")
        >>> "shop/main.py" in project_files(shop, Templates())
        True
    """
    files = _Files()
    made = msgspec.structs.replace(project, resources=[])
    if project.is_helm:
        _add_charts(files, made, project, templates)
        return files.texts
    if project.is_ansible:
        _add_roles(files, made, project, templates)
        return files.texts
    files.add(init_files(made, templates))
    for one in project.resources:
        _add_resource(files, made, msgspec.structs.replace(one, webhooks=None), templates)
    for one in project.resources:
        if one.webhooks is not None:
            _add_webhooks(files, made, one, templates)
    files.texts["PROJECT"] = project.text()
    return files.texts


def _add_charts(files: _Files, made: Project, project: Project, templates: Templates) -> None:
    """Add the files of a project without code, but for those that depend on its charts."""
    files.add(helm_init_files(made, templates))
    for one in project.resources:
        if project.chart_of(one) is not None:
            made.put(one)
            files.add(helm_api_files(made, one, templates, files.texts.get, None))
    files.texts["PROJECT"] = project.text()


def _add_roles(files: _Files, made: Project, project: Project, templates: Templates) -> None:
    """Add the files of a project without code, but for those that depend on its roles."""
    files.add(ansible_init_files(made, templates))
    for one in project.resources:
        if project.role_of(one) is not None:
            made.put(one)
            files.add(ansible_api_files(made, one, templates, files.texts.get, None))
    files.texts["PROJECT"] = project.text()


def _add_resource(
    files: _Files, project: Project, resource: ProjectResource, templates: Templates
) -> None:
    own = resource.api is not None
    if own or resource.controller:
        project.put(resource)
        files.add(
            api_files(
                project,
                resource,
                templates,
                files.texts.get,
                with_class=own,
                with_controller=resource.controller,
            )
        )


def _add_webhooks(
    files: _Files, project: Project, resource: ProjectResource, templates: Templates
) -> None:
    assert resource.webhooks is not None
    project.put(resource)
    files.add(
        webhook_files(
            project,
            resource,
            templates,
            files.texts.get,
            admission=resource.webhooks.admission,
            conversion=resource.webhooks.conversion,
        )
    )

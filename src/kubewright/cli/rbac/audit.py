"""The command ``kubewright rbac audit``."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import typer
from msgspec.structs import replace

from kubewright.application import Application
from kubewright.application.audit_log import calls_in_audit_log
from kubewright.application.calls import Calls
from kubewright.application.coverage import Comparison, Missing, compare
from kubewright.application.origins import origins_of, webhook_rules
from kubewright.application.rights import SYSTEM, Right, rights_in
from kubewright.cli.files import FileChange, diff_of, write
from kubewright.cli.files import lines_of as file_lines
from kubewright.cli.load import check_declared, load_operator
from kubewright.cli.project.folder import ProjectFolder, find_project, target_of
from kubewright.cli.rbac.recording import record
from kubewright.cli.rbac.repair import repaired_operator, repaired_roles
from kubewright.cli.rbac.report import as_json, lines_of
from kubewright.cli.rbac.roles import Role, bound_roles, read_documents, read_roles
from kubewright.crd.rbac import PolicyRule
from kubewright.errors import ConfigError

__all__ = ["Options", "run"]

_RBAC = Path("config", "rbac")
_LAST = 4000


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright rbac audit --help``."""

    pytest: tuple[str, ...] = ()
    operator: str | None = None
    roles: tuple[Path, ...] = ()
    audit_log: Path | None = None
    user: str | None = None
    allow_unused: bool = False
    keep_going: bool = False
    fix: bool = False
    dry_run: bool = False
    json: bool = False
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is audited."""

    project: ProjectFolder | None
    operator: Application | None
    roles: list[Role]
    rules: list[PolicyRule]
    named: bool = False
    """Whether the user named the roles; then they say themselves where they hold."""

    @property
    def is_namespaced(self) -> bool:
        """Whether its rules are those of a project for one namespace."""
        return self.project is not None and self.project.project.namespaced and not self.named

    @property
    def root(self) -> Path:
        """Where the tests run."""
        return self.project.root if self.project is not None else Path.cwd()


def run(options: Options) -> int:
    """Audit, report, and repair if that is wanted; return the exit status.

    Raises:
        ConfigError: Something that the user named is wrong.
    """
    _check(options)
    subject = _subject(options)
    calls, passed = _calls(options, subject)
    if calls is None:
        return 1
    found = _compare(calls, subject)
    if options.json:
        typer.echo(as_json(found, passed=passed))
    else:
        for line in lines_of(found, verbose=options.verbose):
            typer.echo(line)
    left = _repair(options, subject, found) if options.fix else found
    return int(bool(left.missing) or bool(left.unused and not options.allow_unused))


def _check(options: Options) -> None:
    if options.audit_log is not None and options.user is None:
        raise ConfigError("whose calls in the audit log? Name the operator's user with --user")
    if options.user is not None and options.audit_log is None:
        raise ConfigError("--user is for --audit-log: tests tell the operator by themselves")
    if options.audit_log is not None and options.pytest:
        raise ConfigError("give arguments for pytest, or --audit-log: only one of them is read")
    if options.dry_run and not options.fix:
        raise ConfigError("--dry-run is for --fix: without it, nothing is written anyway")


# --- What is compared ---


def _subject(options: Options) -> _Subject:
    project = find_project()
    operator = _operator(options, project)
    roles: list[Role] = []
    if options.roles:
        roles = [role for path in dict.fromkeys(options.roles) for role in read_roles(path)]
    elif project is not None and options.operator is None:
        roles = _project_roles(project)
    elif operator is not None:
        rules = operator.rules()
        if project is not None and project.project.namespaced:
            rules = [*map(_anywhere, rules)]
        return _Subject(project, operator, [], rules)
    rules = [rule for role in roles for rule in role.rules]
    return _Subject(project, operator, roles, rules, named=bool(options.roles))


def _operator(options: Options, project: ProjectFolder | None) -> Application | None:
    if options.operator is None and project is None and options.roles:
        return None  # a program without an operator of ours
    operator = load_operator(target_of(options.operator))
    check_declared(operator)
    return operator


def _project_roles(project: ProjectFolder) -> list[Role]:
    folder = project.root / _RBAC
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise ConfigError(f"there are no roles in {folder}: run `kubewright manifests`, or name the"
                          " roles with --role")  # fmt: skip
    roles = bound_roles({str(_RBAC / path.name): read_documents(path) for path in paths})
    if not project.project.namespaced:
        return roles
    # The namespace of the deployment is not that of a test.
    return [role._replace(rules=[*map(_anywhere, role.rules)]) for role in roles]


def _anywhere(rule: PolicyRule) -> PolicyRule:
    return PolicyRule(rule.groups, rule.resources, rule.verbs, rule.resource_names, rule.urls)


def _calls(options: Options, subject: _Subject) -> tuple[Calls | None, int | None]:
    """Return what the operator did, and how many tests passed; no calls if some failed."""
    if options.audit_log is not None:
        return _logged(options.audit_log, options.user or ""), None
    _tell(f"running the tests in {subject.root} …")
    recording = record(subject.root, options.pytest, show=options.verbose)
    if recording.failed and not options.keep_going:
        _tell(recording.output[-_LAST:].strip())
        _tell("tests fail, so what was recorded may not be all: mend them, or use --keep-going")
        return None, None
    if not recording.calls:
        raise ConfigError(
            f"{recording.passed} tests passed, and in none of them did an operator make a call. Run"
            " it with kubewright.testing.operator_test, or in a kw.Manager; mark a program without"
            " a manager with kubewright.testing.as_operator"
        )
    _tell(
        f"tests passed: {recording.passed}; different calls of the operator: {len(recording.calls)}"
    )
    return recording.calls, recording.passed


def _logged(path: Path, user: str) -> Calls:
    try:
        with path.open("rb") as lines:
            return calls_in_audit_log(lines, user, place=str(path))
    except FileNotFoundError:
        raise ConfigError(f"cannot read the audit log: there is no file {path}") from None
    except OSError as error:
        raise ConfigError(f"cannot read the audit log {path}: {error.strerror}") from error


def _compare(calls: Calls, subject: _Subject) -> Comparison:
    origins = {} if subject.operator is None else origins_of(subject.operator, subject.root)
    for role in subject.roles:
        for right in (right for rule in role.rules for right in rights_in(rule)):
            origins.setdefault(right.in_every_namespace, [str(role)])
    exempt = [] if subject.operator is None else webhook_rules(subject.operator)
    found = compare(calls, subject.rules, exempt=exempt, origins=origins)
    if not subject.is_namespaced:
        return found
    return replace(found, missing=[replace(one, home=_home(one)) for one in found.missing])


def _home(one: Missing) -> str:
    """Return where a project for one namespace gets a right: in its own, whatever a test calls it.

    What has no namespace, and a look at all of them, takes a ClusterRole.
    """
    return SYSTEM if one.right.namespace else ""


# --- Repairs ---


def _repair(options: Options, subject: _Subject, found: Comparison) -> Comparison:
    """Write what can be written; return what is left to do."""
    if options.roles:
        unused: set[Right] = set()
        if not options.allow_unused:
            unused = {one.right for one in found.unused}
        changes = repaired_roles(subject.roles, found, unused)
        left = Comparison([], [], [])
    else:
        changes = repaired_operator(subject.operator, subject.root, found)
        left = Comparison([] if changes else found.missing, found.unused, [])
    _write(changes, options, subject.root)
    if changes and not options.roles and subject.project is not None:
        _tell("`kubewright manifests` writes config/rbac/role.yaml from the code")
    if left.unused and not options.allow_unused:
        _tell("what is never used is declared in the code: change it there, as said above")
    return found if options.dry_run else left


def _write(changes: Iterable[FileChange], options: Options, root: Path) -> None:
    listed = list(changes)
    if options.dry_run:
        typer.echo(diff_of(listed), nl=False, err=options.json)
    else:
        write(Path.cwd() if options.roles else root, listed)
    for line in file_lines(listed, dry_run=options.dry_run):
        _tell(line)


def _tell(text: str) -> None:
    typer.echo(text, err=True)

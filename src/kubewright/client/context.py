"""What a context in a kubeconfig means: its cluster, user and namespace turned into a `Config`."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from kubewright.client.auth import Impersonation
from kubewright.client.config import Config, Overrides
from kubewright.client.exec_config import API_GROUP, API_VERSIONS, ExecConfig, InteractiveMode
from kubewright.client.kubeconfig import Entry, Kubeconfig
from kubewright.client.proxy import checked_proxy
from kubewright.client.tls import TLSConfig
from kubewright.errors import ConfigError

_CLUSTER_EXTENSION = f"{API_GROUP}/exec"
_SUCCESSORS = {
    "gcp": "gke-gcloud-auth-plugin (`gcloud container clusters get-credentials`)",
    "azure": "kubelogin (`kubelogin convert-kubeconfig`)",
    "oidc": "kubelogin (`kubectl oidc-login setup`)",
}


def config_for(
    kubeconfig: Kubeconfig, context: str | None = None, *, overrides: Overrides | None = None
) -> Config:
    """Return the configuration of *context*, or of the current one.

    Raises:
        ConfigError: An entry is missing or wrong; the message says which and what to do.
    """
    overrides = overrides or {}
    chosen = _context(kubeconfig, context, optional="server" in overrides)
    cluster = _cluster(kubeconfig, chosen, overrides)
    server = overrides.get("server") or cluster.text("server")
    if not server:
        cluster.fail("it has no server. Add `server: https://HOST:PORT`.")
    config = Config(
        server=server,
        namespace=overrides.get("namespace") or chosen.text("namespace") or "default",
        proxy_url=_proxy(cluster, overrides),
        disable_compression=cluster.flag("disable-compression"),
        source=f"the {chosen}" if chosen.name else "the given server",
    )
    user = _user(kubeconfig, chosen, overrides)
    config = config.replace(impersonate=_impersonation(user, overrides))
    if not config.url.startswith("https:"):
        # As in client-go: anyone who listens on a plain connection could read the credentials.
        return config
    return _with_authentication(config, cluster, user, overrides=overrides)


def _with_authentication(
    config: Config, cluster: Entry, user: Entry, *, overrides: Overrides
) -> Config:
    _refuse_auth_provider(user)
    token, token_file = overrides.get("token"), overrides.get("token_file")
    if token or token_file:
        return config.replace(
            tls=_tls(cluster, user, overrides), token=token, token_file=token_file
        )
    token, username, password = (user.text(name) for name in ("token", "username", "password"))
    if token and (username or password):
        user.fail("it has both a token and a user name with a password. Remove one of the two.")
    return config.replace(
        tls=_tls(cluster, user, overrides),
        token=token,
        token_file=_readable(user, "tokenFile"),
        username=username,
        password=password,
        exec=_exec(user, cluster),
    )


def _context(kubeconfig: Kubeconfig, name: str | None, *, optional: bool) -> Entry:
    wanted = name or kubeconfig.current_context
    if not wanted:
        if optional:
            return Entry("context", "", {})
        raise ConfigError(
            f"no context is chosen in {kubeconfig.source}: current-context is empty."
            f"{_existing('contexts', kubeconfig.contexts)}"
            " Choose one with `kubectl config use-context NAME`, or pass its name."
        )
    found = kubeconfig.contexts.get(wanted)
    if found is None:
        said = "" if name else f"current-context is {wanted!r}, and "
        raise ConfigError(
            f"cannot use {kubeconfig.source}: {said}there is no context {wanted!r}."
            f"{_suggestion(wanted, kubeconfig.contexts)}"
            f"{_existing('contexts', kubeconfig.contexts)}"
        )
    return found


def _cluster(kubeconfig: Kubeconfig, context: Entry, overrides: Overrides) -> Entry:
    name = overrides.get("cluster") or context.text("cluster")
    if name is None:
        if "server" in overrides:
            return Entry("cluster", "", {})
        context.fail("it names no cluster. Add `cluster: NAME`.")
    return _referred(kubeconfig.clusters, "cluster", name, context=context)


def _user(kubeconfig: Kubeconfig, context: Entry, overrides: Overrides) -> Entry:
    name = overrides.get("user") or context.text("user")
    if name is None:
        return Entry("user", "", {}, context.file)  # anonymous
    return _referred(kubeconfig.users, "user", name, context=context)


def _referred(entries: Mapping[str, Entry], kind: str, name: str, *, context: Entry) -> Entry:
    found = entries.get(name)
    if found is None:
        context.fail(
            f"it names the {kind} {name!r}, and there is no such {kind}."
            f"{_suggestion(name, entries)}{_existing(f'{kind}s', entries)}"
        )
    return found


def _suggestion(name: str, entries: Mapping[str, Entry]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, entries, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _existing(what: str, entries: Mapping[str, Entry]) -> str:
    if not entries:
        return f" There are no {what}."
    return f" The {what} are: {', '.join(map(repr, sorted(entries)))}."


def _proxy(cluster: Entry, overrides: Overrides) -> str | None:
    if override := overrides.get("proxy_url"):
        return checked_proxy(override, "the given proxy_url")
    proxy = cluster.text("proxy-url")
    return checked_proxy(proxy, f"the {cluster}") if proxy else None


def _tls(cluster: Entry, user: Entry, overrides: Overrides) -> TLSConfig:
    insecure = cluster.flag("insecure-skip-tls-verify")
    ca_file, ca_data = _file_or_data(cluster, "certificate-authority")
    if overrides.get("insecure") or overrides.get("ca_file"):
        insecure, ca_file = overrides.get("insecure", False), overrides.get("ca_file")
        ca_data = None
    if insecure and (ca_file or ca_data):
        cluster.fail(
            "it has both insecure-skip-tls-verify and a certificate authority."
            " Remove insecure-skip-tls-verify."
        )
    cert_file, cert_data = _file_or_data(user, "client-certificate")
    key_file, key_data = _file_or_data(user, "client-key")
    if not (cert_file or cert_data):
        key_file = key_data = None  # as in client-go: a key alone means nothing
    elif not (key_file or key_data):
        user.fail("it has a client certificate but no key. Add client-key or client-key-data.")
    return TLSConfig(
        ca_file=ca_file,
        ca_data=ca_data,
        cert_file=cert_file,
        cert_data=cert_data,
        key_file=key_file,
        key_data=key_data,
        insecure=insecure,
        server_name=_server_name(cluster, overrides),
    )


def _server_name(cluster: Entry, overrides: Overrides) -> str | None:
    if overrides.get("server_name") or overrides.get("server"):
        return overrides.get("server_name")
    return cluster.text("tls-server-name")


def _file_or_data(entry: Entry, field: str) -> tuple[str | None, bytes | None]:
    data = entry.data(f"{field}-data")
    if data is not None and entry.text(field):
        entry.fail(f"it has both {field} and {field}-data. Remove one of the two.")
    return _readable(entry, field), data


def _readable(entry: Entry, field: str) -> str | None:
    """Return the path *field* after opening it once, so that an error can name the entry."""
    path = entry.path(field)
    if path is None:
        return None
    try:
        with Path(path).open("rb"):
            return path
    except OSError as error:
        entry.fail(
            f"its {field} {path} cannot be read: {error.strerror}."
            " Check the path and its permissions."
        )


def _impersonation(user: Entry, overrides: Overrides) -> Impersonation | None:
    if override := overrides.get("impersonate"):
        return override
    extra_entry = user.section("act-as-user-extra")
    extra = {key: extra_entry.texts(key) for key in extra_entry.body} if extra_entry else {}
    name, uid, groups = user.text("act-as"), user.text("act-as-uid"), user.texts("act-as-groups")
    if name is None:
        if uid or groups or extra:
            user.fail("it acts as a uid, groups or extra without a user. Add `act-as: USER`.")
        return None
    return Impersonation(user=name, uid=uid, groups=groups, extra=extra)


def _refuse_auth_provider(user: Entry) -> None:
    provider = user.section("auth-provider")
    if provider is None:
        return
    name = provider.text("name")
    successor = _SUCCESSORS.get(name or "", "one for your provider")
    user.fail(
        f"its auth-provider {name!r} is not supported; Kubernetes replaced these by exec plugins."
        f" Use {successor}, or a token."
    )


def _exec(user: Entry, cluster: Entry) -> ExecConfig | None:
    section = user.section("exec")
    if section is None:
        return None
    command = section.text("command")
    if command is None:
        section.fail("its exec has no command. Add `command: PROGRAM`.")
    if "/" in command:
        command = section.path("command") or command
    version = section.text("apiVersion")
    if version not in API_VERSIONS:
        said = f"the apiVersion {version!r}" if version else "no apiVersion"
        section.fail(f"its exec has {said}. It must be one of: {', '.join(API_VERSIONS)}.")
    return ExecConfig(
        command=command,
        args=section.texts("args"),
        env=_exec_env(section),
        api_version=version,
        interactive_mode=_interactive_mode(section, version),
        install_hint=section.text("installHint"),
        provide_cluster_info=section.flag("provideClusterInfo"),
        cluster_config=_cluster_extension(cluster),
        source=f"the {user}",
    )


def _interactive_mode(section: Entry, version: str) -> InteractiveMode:
    mode = section.text("interactiveMode")
    if mode is None and version.endswith("v1beta1"):
        return "IfAvailable"
    if mode not in ("Never", "IfAvailable", "Always"):
        said = f"the interactiveMode {mode!r}" if mode else "no interactiveMode"
        section.fail(f"its exec has {said}. It must be one of: Never, IfAvailable, Always.")
    return cast("InteractiveMode", mode)


def _exec_env(section: Entry) -> tuple[tuple[str, str], ...]:
    pairs = []
    for item in section.items("env"):
        variable = Entry(section.kind, section.name, item, section.file)
        if not isinstance(item, dict) or not variable.text("name"):
            section.fail("an entry of its exec.env has no name. Add `name` and `value` to each.")
        pairs.append((variable.text("name") or "", variable.text("value") or ""))
    return tuple(pairs)


def _cluster_extension(cluster: Entry) -> object:
    for item in cluster.items("extensions"):
        if isinstance(item, dict) and item.get("name") == _CLUSTER_EXTENSION:
            return item.get("extension")
    return None

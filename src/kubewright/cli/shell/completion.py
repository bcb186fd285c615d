"""Completion in shells: their scripts, which ask the program what the word at the cursor may be."""

from collections.abc import Iterator
from typing import Any

__all__ = ["SCRIPTS", "candidates"]

_BASH = """\
# Completion of kubewright in bash: source <(kubewright completion bash)
_kubewright() {
    local IFS=$'\\n'
    local -a words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=($("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null | cut -f1))
}
complete -o bashdefault -o default -F _kubewright kubewright
"""
_ZSH = """\
#compdef kubewright
# Completion of kubewright in zsh: source <(kubewright completion zsh)
_kubewright() {
    local -a found
    local line
    for line in "${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    if (( ${#found} )); then _describe kubewright found; else _files; fi
}
compdef _kubewright kubewright
"""
_FISH = """\
# Completion of kubewright in fish: kubewright completion fish | source
function __kubewright_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    if test -n "$last"
        $words[1] __complete -- $words[2..-1] $last 2>/dev/null
    else
        $words[1] __complete --new -- $words[2..-1] 2>/dev/null
    end
end
complete -c kubewright -a '(__kubewright_complete)'
"""
_POWERSHELL = """\
# Completion of kubewright in PowerShell:
# kubewright completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName kubewright -ScriptBlock {
    param($word, $ast, $cursor)
    $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    $more = if ($word) { @() } else { @('--new') }
    kubewright __complete @more -- @words 2>$null | ForEach-Object {
        $name, $help = $_ -split "`t", 2
        if (-not $help) { $help = $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $help)
    }
}
"""

SCRIPTS: dict[str, str] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}
"""The script of each shell."""

Candidate = tuple[str, str]


def candidates(command: Any, words: list[str]) -> list[Candidate]:
    """Return what the last of *words* may become, each with a word about it.

    Where a file or a name is expected, there is nothing: shells complete files then.

    Args:
        command: The command of the program.
        words: What was typed behind its name; the last one may be empty.
    """
    *typed, last = words or [""]
    waiting: Any = None
    beside: dict[str, Any] = {}  # the commands of the group, for those of two words
    name = ""
    for word in typed:
        if waiting is not None:
            waiting = None
        elif word.startswith("-"):
            waiting = None if "=" in word else _option_with_value(command, word)
        else:
            inside = getattr(command, "commands", {})
            if word in inside:
                command, beside, name = inside[word], inside, word
            else:
                command = beside.get(f"{name} {word}", command)
    if waiting is not None:
        found = _choices(waiting)
    elif last.startswith("-"):
        found = _options(command)
    else:
        found = [*_commands(command), *_seconds(beside, name), *_arguments(command)]
    return [(word, about) for word, about in found if word.startswith(last)]


def _commands(command: Any) -> list[Candidate]:
    found = getattr(command, "commands", {})
    return [
        (name, one.get_short_help_str(60))
        for name, one in found.items()
        if not one.hidden and " " not in name
    ]


def _seconds(beside: dict[str, Any], name: str) -> list[Candidate]:
    """Return the second words of commands that begin with *name*, such as ``run bundle``."""
    return [
        (second, one.get_short_help_str(60))
        for (first, _, second), one in ((key.partition(" "), one) for key, one in beside.items())
        if second and first == name
    ]


def _arguments(command: Any) -> list[Candidate]:
    arguments = (one for one in command.params if one.param_type_name == "argument")
    return [found for one in arguments for found in _choices(one)]


def _options(command: Any) -> list[Candidate]:
    options = [one for one in command.params if not one.opts[0].isidentifier() and not one.hidden]
    found = [(name, one.help or "") for one in options for name in _names(one)]
    return [*found, ("--help", "Show this message and exit.")]


def _names(option: Any) -> Iterator[str]:
    yield from (name for name in (*option.opts, *option.secondary_opts) if name.startswith("--"))


def _option_with_value(command: Any, word: str) -> Any:
    """Return the option *word*, if a value follows it."""
    options = (one for one in command.params if word in one.opts)
    return next((one for one in options if not getattr(one, "is_flag", True)), None)


def _choices(parameter: Any) -> list[Candidate]:
    """Return the values that *parameter* takes, if there are only a few."""
    return [(str(getattr(one, "value", one)), "") for one in getattr(parameter.type, "choices", ())]

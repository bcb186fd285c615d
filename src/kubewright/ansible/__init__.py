"""Ansible roles and playbooks as operators: each object of a kind is what a role is run for.

`AnsibleOperator` is the `Application` for them; ``watches.yaml``, which `load_watches` reads, says
which kind goes with which role or playbook. Ansible itself runs in processes of its own; all else
happens here: what it writes gets an owner and is watched, and nothing runs without a reason.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.ansible.operator import AnsibleOperator
    from kubewright.ansible.playbook import Playbook
    from kubewright.ansible.settings import Settings
    from kubewright.ansible.watches import Finalizer, Watch, load_watches

__all__ = ["AnsibleOperator", "Finalizer", "Playbook", "Settings", "Watch", "load_watches"]

_WHERE = {
    "AnsibleOperator": "operator",
    "Finalizer": "watches",
    "Playbook": "playbook",
    "Settings": "settings",
    "Watch": "watches",
    "load_watches": "watches",
}

# Loaded when first used: YAML and all the rest is not for those who only ask for a name.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)

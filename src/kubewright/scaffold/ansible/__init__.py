"""Projects without code: for each kind, Ansible runs a role or a playbook."""

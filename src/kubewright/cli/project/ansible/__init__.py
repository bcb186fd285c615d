"""The commands of projects without code, for whose kinds Ansible runs roles and playbooks."""

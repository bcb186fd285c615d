"""A folder with a role and a playbook, as operator-sdk has them."""

from pathlib import Path

WATCHES = """\
- group: e2e.example.com
  version: v1alpha1
  kind: Stall
  role: stall
  finalizer:
    name: e2e.example.com/stall
    playbook: playbooks/closing.yml
    vars:
      closed_because: the owner left
"""
ROLE = """\
- name: make the sign
  kubernetes.core.k8s:
    definition:
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: "{{ ansible_operator_meta.name }}-sign"
        namespace: "{{ ansible_operator_meta.namespace }}"
      data:
        text: "{{ sign_text | default('open') }}"

- name: apply the price list
  kubernetes.core.k8s:
    apply: true
    server_side_apply: {field_manager: stall, force_conflicts: true}
    definition:
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: "{{ ansible_operator_meta.name }}-prices"
        namespace: "{{ ansible_operator_meta.namespace }}"
      data:
        apples: "{{ _e2e_example_com_stall_spec.applePrice | default('1') }}"

- name: wait for a delivery
  ansible.builtin.command: setsid sleep "{{ delivery_takes }}"
  when: delivery_takes is defined

- name: look for bricks
  ansible.builtin.fail:
    msg: there are no bricks
  when: is_broken | default(false)

- name: show how it is
  operator_sdk.util.k8s_status:
    api_version: e2e.example.com/v1alpha1
    kind: Stall
    name: "{{ ansible_operator_meta.name }}"
    namespace: "{{ ansible_operator_meta.namespace }}"
    status:
      sign: "{{ sign_text | default('open') }}"
    conditions:
      - type: Clean
        status: "True"
        reason: Swept

- name: tell the neighbours
  operator_sdk.util.k8s_event:
    name: "{{ ansible_operator_meta.name }}-opened"
    namespace: "{{ ansible_operator_meta.namespace }}"
    message: the stall is open
    reason: Opened
    type: Normal
    involvedObject:
      apiVersion: e2e.example.com/v1alpha1
      kind: Stall
      name: "{{ ansible_operator_meta.name }}"
      namespace: "{{ ansible_operator_meta.namespace }}"

- name: count the visitors
  operator_sdk.util.osdk_metric:
    name: stall_visits_total
    description: Number of runs.
    counter: {increment: true}

- name: look again
  operator_sdk.util.requeue_after:
    time: "{{ look_again }}"
  when: look_again is defined
"""
PLAYBOOK = """\
- hosts: localhost
  gather_facts: false
  roles:
    - closing
"""
CLOSING = """\
- name: write into the journal
  kubernetes.core.k8s:
    state: patched
    kind: ConfigMap
    name: journal
    namespace: "{{ ansible_operator_meta.namespace }}"
    definition:
      data:
        closed: "{{ closed_because }}"
"""


def write_project(folder: Path) -> Path:
    """Write the project into *folder*, and return that."""
    files = {
        "watches.yaml": WATCHES,
        "roles/stall/tasks/main.yml": ROLE,
        "roles/closing/tasks/main.yml": CLOSING,
        "playbooks/closing.yml": PLAYBOOK,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder

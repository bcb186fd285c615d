#!/usr/bin/python
"""The module ``osdk_metric``: a metric on the page of the operator."""

from ansible_collections.operator_sdk.util.plugins.module_utils.operator import API, APIError

DOCUMENTATION = """
module: osdk_metric
short_description: Make or change a metric
description:
  - Makes or changes a metric on the page of metrics of the operator.
author: The Kubewright authors
options:
  name:
    type: str
    required: true
    description: The name of the metric.
  description:
    type: str
    required: true
    description: What it counts or measures.
  counter:
    type: dict
    description: A number that grows.
    suboptions:
      increment: {type: bool, description: Add one.}
      add: {type: float, description: Add so much.}
  gauge:
    type: dict
    description: A number that goes up and down.
    suboptions:
      set: {type: float, description: Set it to so much.}
      add: {type: float, description: Add so much.}
      subtract: {type: float, description: Take away so much.}
      increment: {type: bool, description: Add one.}
      decrement: {type: bool, description: Take away one.}
      set_to_current_time: {type: bool, description: Set it to the time in seconds.}
  histogram:
    type: dict
    description: How often a number was in which range.
    suboptions:
      observe: {type: float, description: The number.}
  summary:
    type: dict
    description: How often there was a number, and their sum.
    suboptions:
      observe: {type: float, description: The number.}
"""
EXAMPLES = """
- operator_sdk.util.osdk_metric:
    name: shop_backups_total
    description: Number of backups.
    counter: {increment: true}
"""

_NUMBER, _FLAG = {"type": "float"}, {"type": "bool"}
_KINDS = {
    "counter": {"increment": _FLAG, "add": _NUMBER},
    "gauge": {
        "set": _NUMBER, "add": _NUMBER, "subtract": _NUMBER, "increment": _FLAG,
        "decrement": _FLAG, "set_to_current_time": _FLAG,
    },
    "histogram": {"observe": _NUMBER},
    "summary": {"observe": _NUMBER},
}  # fmt: skip


def main() -> None:
    """Run the module."""
    from ansible.module_utils.basic import AnsibleModule

    kinds = {name: {"type": "dict", "options": options} for name, options in _KINDS.items()}
    module = AnsibleModule(
        argument_spec={
            "name": {"type": "str", "required": True},
            "description": {"type": "str", "required": True},
            **kinds,
        },
        required_one_of=[tuple(_KINDS)],
        mutually_exclusive=[tuple(_KINDS)],
        supports_check_mode=True,
    )
    given = {name: value for name, value in module.params.items() if value is not None}
    if not module.check_mode:
        try:
            API().send("POST", "/kubewright/metrics", given)
        except APIError as error:
            module.fail_json(msg=f"cannot change the metric {given['name']}: {error}")
    module.exit_json(changed=False)


if __name__ == "__main__":
    main()

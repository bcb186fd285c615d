#!/usr/bin/python
"""The module ``requeue_after``: lets the role run again after some time."""

import re

DOCUMENTATION = """
module: requeue_after
short_description: Run again after some time
description:
  - Lets the operator run the role again, whether or not anything has changed by then.
author: The Kubewright authors
options:
  time:
    type: str
    required: true
    description: The time, in hours, minutes and seconds, such as C(1h30m) or C(10s).
"""
EXAMPLES = """
- operator_sdk.util.requeue_after:
    time: 30s
"""
RETURN = """
period:
  description: The time.
  returned: success
  type: str
"""

_is_time = re.compile(r"(?=\d)(\d+h)?(\d+m)?(\d+s)?").fullmatch


def main() -> None:
    """Run the module."""
    from ansible.module_utils.basic import AnsibleModule

    module = AnsibleModule(
        argument_spec={"time": {"type": "str", "required": True}}, supports_check_mode=True
    )
    time = module.params["time"]
    if not _is_time(time):
        module.fail_json(msg=f"time is {time!r}, and not one such as 1h30m or 10s")
    module.exit_json(period=time)


if __name__ == "__main__":
    main()

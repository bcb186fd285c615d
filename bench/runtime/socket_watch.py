"""The watch as it arrives on a socket, searched for the number of the change and nothing else.

No contender can be earlier than this, so it says how much of a latency is the server's.
"""

import base64
import os
import re
import ssl
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

from bench.measure import Numbers, Work
from bench.runtime.seen import Seen

_NUMBER = re.compile(rb'"seq":"(\d+)"')


def latency(work: Work) -> Numbers:
    """Note when each change of the ConfigMap arrives."""
    connection, headers = _connect()
    path = f"/api/v1/namespaces/{work.namespace}/configmaps?watch=true"
    connection.request("GET", path, headers=headers)
    stream = connection.getresponse()
    seen = Seen(work.patches)
    for line in stream:
        # The labels come before managedFields, which only name them.
        if (found := _NUMBER.search(line)) and seen.note(found[1].decode()):
            break
    return seen.times


def _connect() -> tuple[HTTPSConnection, dict[str, str]]:
    import yaml

    known = yaml.safe_load(Path(os.environ["KUBECONFIG"]).read_text())
    cluster, user = known["clusters"][0]["cluster"], known["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    context = ssl.create_default_context(cadata=authority)
    address = urlsplit(cluster["server"]).netloc
    headers = {"Authorization": f"Bearer {user['token']}", "Accept": "application/json"}
    return HTTPSConnection(address, context=context), headers

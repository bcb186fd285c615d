"""Follows a collection: one state machine, under `kubewright.Watch` and under the cache.

Servers end every stream after some minutes, proxies cut it in the middle of an event, a restarting
server is out of reach, and after a long break the server has forgotten the version to resume from.
`Watcher` knows what to do about each of these, and does no I/O: it is told which bytes arrived and
what time it is, and returns the events and the next request. Its driver sends the requests, waits,
and keeps the objects.

There are two drivers, which differ in one thing. A cache can list again and never gives up
(``lists_again``). For ``client.watch`` a new list would leave a gap in the events: it resumes where
that closes the gap, and raises all other errors, so `Failing` is its exception.

.. code-block:: mermaid

    stateDiagram-v2
        [*] --> Idle
        Idle --> Listing: start, nothing is known
        Idle --> Watching: start, from a version
        Listing --> Watching: the list is complete
        Listing --> Listing: no streaming lists, no shards, or pages that expire: another way
        Listing --> Waiting: out of reach, busy, cut
        Watching --> Watching: the stream ended in its own time
        Watching --> Waiting: ended at once, cut, busy, or the version is gone
        Waiting --> Listing: waited
        Waiting --> Watching: waited
        Listing --> Missing: 404
        Watching --> Missing: 404
        Missing --> Listing: waited
        Missing --> Forgetting: waited, and it is missing for long
        Forgetting --> Listing: forgot
        Listing --> Failing: refused
        Watching --> Failing: refused
        Failing --> Listing: waited
        Failing --> Watching: waited
        Listing --> Stopped: stop
        Watching --> Stopped: stop
        Waiting --> Stopped: stop
        Missing --> Stopped: stop
        Forgetting --> Stopped: stop
        Failing --> Stopped: stop

A test compares this picture with what the machine does.
"""

from kubewright.client.watcher.habits import Habits
from kubewright.client.watcher.lines import EventType, RawEvent
from kubewright.client.watcher.machine import Watcher

__all__ = ["EventType", "Habits", "RawEvent", "Watcher"]

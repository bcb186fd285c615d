"""How a collection is followed: one machine, under `kubewright.Watch` and under the cache.

Servers end every stream after some minutes, proxies cut it in the middle of an event, a server
that restarts is out of reach, and one that was away for long has forgotten the version that we
would go on from. `Watcher` knows what to do about each of these, and does nothing by itself: it is
told what arrived and what time it is, and says which events that makes and what to ask for next.
Who drives it sends the requests, waits, and keeps the objects.

Two drive it, and want one thing differently. A cache can list again and wants to go on whatever
happens (``lists_again``). For ``client.watch`` a new list would be a gap in what its caller is
told: it resumes where that closes the gap, and raises the rest, so `Failing` is its exception.

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

A test reads this picture, and compares it with what the machine does.
"""

from kubewright.client.watcher.habits import Habits
from kubewright.client.watcher.lines import Event, EventType
from kubewright.client.watcher.machine import Watcher

__all__ = ["Event", "EventType", "Habits", "Watcher"]

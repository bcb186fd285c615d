"""The start in process: ``python -P bench/apiserver/start.py``, with nothing imported before.

The wall and CPU milliseconds of each step, as JSON, on the last line.
"""

import time

BEFORE = time.perf_counter()
import asyncio  # noqa: E402

LOOP = time.perf_counter()
from kubewright.apiserver.server import APIServer  # noqa: E402
from kubewright.apiserver.wire.request import Request  # noqa: E402

IMPORTED = time.perf_counter()


async def main() -> tuple[float, float]:
    """Start, and ask once."""
    begin = time.perf_counter()
    async with APIServer() as server:
        answer = await server.handle(Request("GET", "/api/v1/namespaces/default", trusted=True))
        end = time.perf_counter()
        assert getattr(answer, "status", 0) == 200, answer
    return begin, end


BEGIN, END = asyncio.run(main())
CPU = time.process_time()
print(
    f'{{"asyncio_ms": {(LOOP - BEFORE) * 1e3}, "import_ms": {(IMPORTED - LOOP) * 1e3},'
    f' "start_ms": {(END - BEGIN) * 1e3}, "whole_ms": {(END - BEFORE) * 1e3},'
    f' "process_cpu_ms": {CPU * 1e3}}}'
)

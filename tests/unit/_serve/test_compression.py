import gzip
import random

import pytest

from kubewright._serve.compression import compress, wants_gzip


@pytest.mark.parametrize(
    ("accepted", "wanted"),
    [("gzip", True), ("deflate, gzip", True), ("gzip;q=0.5", False), ("br", False), ("", False)],
)
def test_gzip_is_for_those_who_name_it(accepted: str, *, wanted: bool) -> None:
    """kube-apiserver does not read weights either."""
    assert wants_gzip({"accept-encoding": accepted}) is wanted
    assert not wants_gzip({})


@pytest.mark.parametrize("size", [0, 200_000, 2_000_000])
async def test_what_is_compressed_comes_back_the_same(size: int) -> None:
    """Also what a thread has compressed."""
    body = random.Random(1).randbytes(1000) * (size // 1000)  # it is data, no secret

    assert gzip.decompress(await compress(body)) == body

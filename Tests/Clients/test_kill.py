"""kill -9 under load, again and again, with a ledger of what was acknowledged."""

import concurrent.futures
import multiprocessing
import random

import pytest

from support import kills
from support import server as servers

pytestmark = pytest.mark.brasa_only

# Servers that are killed at the same time, half of them in each mode.
LANES = 4
CYCLES = 1_000


def test_nothing_acknowledged_is_lost_over_some_kills(tmp_path):
    batches, _, _ = kills.run_lane(tmp_path, cycles=6, seed=1)
    assert batches > 6


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_over_a_thousand_kills(tmp_path, certificates):
    seeds = [random.randrange(2**32) for _ in range(LANES)]
    print(f"seeds {seeds}")
    # Processes started fresh: each has Python's lock, and gRPC's certificates, for itself.
    fresh = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(LANES, mp_context=fresh) as pool:
        lanes = [
            pool.submit(
                kills.run_lane,
                tmp_path / str(lane),
                CYCLES // LANES,
                seed,
                certificates if lane % 2 else None,
                servers.release_binary(),
            )
            for lane, seed in enumerate(seeds)
        ]
        for lane, done in enumerate(lanes):
            mode = "production" if lane % 2 else "development"
            batches, increments, seconds = done.result()
            print(
                f"{CYCLES // LANES} kills in {mode}, seed {seeds[lane]}:"
                f" {batches} batches and {increments} increments kept, {seconds:.0f} s"
            )
            assert batches > CYCLES // LANES

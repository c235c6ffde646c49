"""kill -9 under load, again and again, with a ledger of what was acknowledged."""

import random
import threading

import pytest

from support import ledger as ledgers
from support import server as servers

pytestmark = pytest.mark.brasa_only

WRITERS = 4


def run_cycles(server, cycles, seed):
    chooser = random.Random(seed)
    ledger = ledgers.Ledger()
    for cycle in range(cycles):
        server.start()
        ledgers.check(server, ledger)
        stop, first_write = threading.Event(), threading.Event()
        writers = [
            threading.Thread(
                target=ledgers.write_until_it_dies, args=(server, ledger, stop, first_write)
            )
            for _ in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        assert first_write.wait(30), f"cycle {cycle}: nothing was acknowledged\n{server.output}"
        # When the kill comes is the random part of the experiment.
        stop.wait(chooser.uniform(0.001, 0.3))
        server.kill()
        stop.set()
        for writer in writers:
            writer.join(60)
        assert not any(writer.is_alive() for writer in writers)
    server.start()
    ledgers.check(server, ledger)
    assert server.stop() == 0
    return ledger


def verify(server):
    done = servers.run("verify", "--data", server.data, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_acknowledged_is_lost_over_some_kills(tmp_path):
    server = servers.Brasa(tmp_path / "data")
    try:
        ledger = run_cycles(server, cycles=6, seed=1)
    finally:
        server.kill()
    assert len(ledger.pairs) > 6
    verify(server)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_over_two_hundred_kills(tmp_path):
    server = servers.Brasa(tmp_path / "data")
    seed = 20261121
    try:
        ledger = run_cycles(server, cycles=200, seed=seed)
    finally:
        server.kill()
    print(f"seed {seed}: {len(ledger.pairs)} batches and {ledger.increments} increments kept")
    verify(server)

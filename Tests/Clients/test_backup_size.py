"""A base snapshot of a gigabyte beside load: what it costs the server, and that all of it comes back.

Figures are worth something with a release build on a quiet machine:

    cd Tests/Clients && BRASA_BINARY=$PWD/../../.build/release/brasa python -m pytest --slow -rP test_backup_size.py

`BRASA_SNAPSHOT_GIGABYTES` is another size. The folder for temporary files needs four times as much.
"""

import contextlib
import os
import pathlib
import random
import re
import threading
import time

import pytest
import requests
from support import clients, server as servers
from test_backup import Backed, key, running  # noqa: F401

pytestmark = [pytest.mark.brasa_only, pytest.mark.slow]

GIGABYTES = float(os.environ.get("BRASA_SNAPSHOT_GIGABYTES", "1"))
BYTES, SMALL = 260_000, 1_000
# Whole batches, and a little more than is asked for.
DOCUMENTS = int(GIGABYTES * 1e9 / BYTES / 20 + 1) * 20
PROJECT = "p"


def fill(server):
    """A gigabyte that nothing packs, and small documents for the readers."""
    with contextlib.closing(clients.connect(server, PROJECT)) as client:
        for start in range(0, DOCUMENTS, 20):
            batch = client.batch()
            for number in range(start, start + 20):
                batch.set(client.document(f"big/{number}"), {"n": number, "bytes": os.urandom(BYTES)})
            batch.commit(timeout=120)
        batch = client.batch()
        for number in range(SMALL):
            batch.set(client.document(f"small/{number}"), {"n": number})
        batch.commit()


class Readers:
    """Gets of small documents, the time of each, and the most memory that the server has meanwhile."""

    def __init__(self, server):
        self.url = f"{server.url}/v1/projects/{PROJECT}/databases/(default)/documents/small"
        self.status = pathlib.Path(f"/proc/{server.process.pid}/status")
        self.times, self.memory = [], 0
        self.ends = threading.Event()

    def __enter__(self):
        self.threads = [threading.Thread(target=self._read) for _ in range(4)]
        self.threads.append(threading.Thread(target=self._watch))
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()

    def _read(self):
        session = requests.Session()
        while not self.ends.is_set():
            begun = time.perf_counter()
            assert session.get(f"{self.url}/{random.randrange(SMALL)}", timeout=60).status_code == 200
            self.times.append(time.perf_counter() - begun)

    def _watch(self):
        while not self.ends.wait(0.02):
            found = re.search(r"VmRSS:\s+(\d+)", self.status.read_text())
            self.memory = max(self.memory, int(found[1]) // 1024) if found else self.memory

    @property
    def p99(self):
        return sorted(self.times)[len(self.times) * 99 // 100] * 1_000


def test_a_base_snapshot_of_a_gigabyte_beside_load(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(servers.Brasa(backed.server.data)) as server:
        fill(server)
        server.kill()
    with running(servers.Brasa(backed.server.data)) as server:
        with Readers(server) as quiet:
            # A few thousand gets, however long they take.
            servers.wait_for(lambda: len(quiet.times) > 4_000, "gets", 300)
        server.kill()
    begun = time.monotonic()
    with running(backed.server) as server:
        with Readers(server) as beside:
            servers.wait_for(lambda: backed.figure("brasa_backup_base_timestamp_seconds") and backed.is_current(), "the backup", 600)
        took = time.monotonic() - begun
        size = sum(path.stat().st_size for path in backed.target.rglob("*") if path.is_file())
        server.kill()
    print(
        f"base snapshot of {size / 1e9:.2f} GB in {took:.1f} s; p99 of gets {beside.p99:.2f} ms beside it ({len(beside.times)}), "
        f"{quiet.p99:.2f} ms without ({len(quiet.times)}): {beside.p99 / quiet.p99:.2f} x; memory {beside.memory} MB at most, "
        f"{quiet.memory} MB without: {beside.memory - quiet.memory} MB more"
    )
    assert size > GIGABYTES * 1e9
    # Parts of a fixed size are read, sealed and sent one after the other.
    assert beside.memory - quiet.memory < 128
    to, done = backed.restore()
    assert "no differences" in done.stdout
    with running(servers.Brasa(to)) as server, contextlib.closing(clients.connect(server, PROJECT)) as client:
        count = client.collection("big").count().get()[0][0].value
        assert count == DOCUMENTS
        assert len(client.document("big/17").get().get("bytes")) == BYTES

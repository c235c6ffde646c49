"""An hour of every kind of call, over restarts and kills, with small caches and data beyond them.

`BRASA_SOAK_SECONDS` says how long, `BRASA_SOAK_SEED` chooses the random part. The server gets a small
cache (`BRASA_SOAK_CACHE`, in megabytes), so that tables and documents leave memory all the time.
"""

import itertools
import json
import os
import random
import re
import threading
import time

import pytest

from soak.accounts import RULES, AccountWorker, RulesWorker
from soak.documents import COUNTER, BulkWorker, ItemWorker
from soak.listeners import BrowserListener, GRPCListener
from soak.products import ConfigWorker, EventWorker, FileWorker, MessageWorker
from soak.world import Interrupted, World
from support import rules, server as servers
from support.vitals import Sampler

pytestmark = [pytest.mark.slow, pytest.mark.brasa_only]

SECONDS = float(os.environ.get("BRASA_SOAK_SECONDS", "3600"))
SEED = int(os.environ.get("BRASA_SOAK_SEED", "20261122"))
CACHE_MEGABYTES = int(os.environ.get("BRASA_SOAK_CACHE", "16"))
# A dozen tables at least, and more than the cache, the logs and the memory tables together.
BULK_BYTES = 600 << 20
ITEM_WORKERS = 3
# One cycle lasts long, so that what grows is seen; the others are short.
LONG_SHARE = 0.4
# In a shorter one caches still fill.
LEAST_FLAT_SECONDS = 120
SHORT_SECONDS = 20, 40
JOIN_SECONDS = 180
SPARE_MEMORY = 48 << 20
SPARE_DESCRIPTORS = 16
SPARE_THREADS = 4
INDEXES = [
    {
        "collectionGroup": "items",
        "queryScope": "COLLECTION",
        "fields": [{"fieldPath": "worker", "order": "ASCENDING"}, {"fieldPath": "n", "order": order}],
    }
    for order in ("ASCENDING", "DESCENDING")
]


class Soak:
    """The workers with what they know, over all lives of the server."""

    def __init__(self, server):
        self.world = World(server, SEED)
        self.items = [ItemWorker(self.world, number) for number in range(ITEM_WORKERS)]
        self.bulk = BulkWorker(self.world, BULK_BYTES)
        self.files, self.events = FileWorker(self.world), EventWorker(self.world)
        self.workers = [
            *self.items, self.bulk, AccountWorker(self.world), RulesWorker(self.world),
            self.files, self.events, ConfigWorker(self.world), MessageWorker(self.world),
        ]
        self.listeners = [
            *(GRPCListener(self.world, worker) for worker in self.items), BrowserListener(self.world, self.items[0])]
        self.failures = []

    def run_worker(self, worker, stop):
        try:
            worker.run(stop)
        except Interrupted:
            return
        except BaseException as failure:
            self.failures.append(f"{type(worker).__name__}: {failure}")
            stop.set()

    def work(self, seconds):
        """All workers for that long, while they succeed; gives the threads and what stops them."""
        stop = threading.Event()
        threads = [
            threading.Thread(target=self.run_worker, name=type(one).__name__, args=(one, stop))
            for one in self.workers
        ]
        for thread in threads:
            thread.start()
        stop.wait(seconds)
        return threads, stop

    def rest(self, threads, stop):
        stop.set()
        for thread in threads:
            thread.join(JOIN_SECONDS)
        late = [thread.name for thread in threads if thread.is_alive()]
        assert not late, f"a call of {late} does not end"
        server = self.world.server
        assert not self.failures, "\n".join([*self.failures, server.output[-3000:]])

    def check(self):
        """Nobody writes: everything is what was acknowledged, and listeners know."""
        client = self.world.client()
        for worker in self.items:
            worker.check_all(client)
        counter = self.world.attempt("get", lambda: client.document(COUNTER).get())
        count = counter.get("n") if counter.exists else 0
        least = sum(worker.increments for worker in self.items)
        most = least + sum(worker.unsure_increments for worker in self.items)
        assert least <= count <= most, f"the counter is {count}, not within {least}...{most}"
        client.close()
        self.files.check_all()
        self.events.check_all()
        for listener in self.listeners:
            listener.check()


def run_life(soak, seconds, ending):
    """One life of the server: load, a rest in which everything is compared, and an end under load."""
    server = soak.world.server
    soak.world.is_ending.clear()
    for listener in soak.listeners:
        listener.open()
    # The store keeps its tables open, and there are more the more data there is.
    sampler = Sampler(server.process.pid, without=".sst")
    soak.rest(*soak.work(seconds))
    soak.check()
    threads, stop = soak.work(random.Random(f"{SEED} {seconds}").uniform(0.05, 1))
    soak.world.is_ending.set()
    sampler.stop()
    if ending == "SIGTERM":
        code = server.stop()
        assert code == 0, f"exit code {code} on SIGTERM:\n{server.output[-3000:]}"
    else:
        server.kill()
    soak.world.close_channels()
    soak.rest(threads, stop)
    for listener in soak.listeners:
        listener.close()
    return sampler


def check_log(server):
    """The server found nothing wrong with itself."""
    errors = [line for line in server.lines if re.match(r"\S+ (ERROR|CRIT)", line) or "Fatal error" in line]
    assert not errors, "".join(errors[:20])


def check_flat(sampler):
    """The second half of a life takes no more than its first, which begins once caches have filled."""
    samples = sampler.samples[len(sampler.samples) // 4:]
    half = len(samples) // 2
    before, after = ([max(values) for values in zip(*part)] for part in (samples[:half], samples[half:]))
    print(f"a long life's halves, memory, descriptors, threads: {before}, {after}")
    for early, late, spare in zip(before, after, (SPARE_MEMORY, SPARE_DESCRIPTORS, SPARE_THREADS)):
        assert late <= early + spare, f"not flat: {before}, then {after}"


def lives(chooser):
    """How long each life is and how it ends; one of them is long."""
    left, is_long_due = SECONDS, True
    endings = itertools.cycle(chooser.sample(("SIGTERM", "kill -9"), 2))
    while left > 0:
        is_long = is_long_due and left <= SECONDS * 0.7
        seconds = SECONDS * LONG_SHARE if is_long else min(chooser.uniform(*SHORT_SECONDS), SECONDS / 6)
        is_long_due = is_long_due and not is_long
        left -= seconds
        yield seconds, is_long, next(endings)


def test_a_soak_finds_nothing(tmp_path, certificates):
    program = servers.release_binary()
    print(f"program {program} seed {SEED} seconds {SECONDS:.0f}")
    server = servers.Brasa.production(
        tmp_path / "data", certificates, "--cache", CACHE_MEGABYTES,
        environment={"BRASA_PROJECT": servers.PROJECT}, program=program,
    ).start()
    begun = time.monotonic()
    try:
        soak = Soak(server)
        prepare(soak.world, tmp_path)
        for number, (seconds, is_long, ending) in enumerate(lives(random.Random(SEED))):
            if number:
                server.start()
            sampler = run_life(soak, seconds, ending)
            print(f"{time.monotonic() - begun:6.0f} s: {seconds:.0f} s, {ending}, peak {sampler.peak},"
                  f" {sum(soak.world.calls.values())} calls, {soak.bulk.high - soak.bulk.low} batches", flush=True)
            if is_long and seconds >= LEAST_FLAT_SECONDS:
                check_flat(sampler)
        server.start()
        soak.world.is_ending.clear()
        client = soak.world.client()
        for worker in soak.items:
            worker.check_all(client)
        client.close()
        assert server.stop() == 0, server.output[-3000:]
        check_log(server)
        print(dict(sorted(soak.world.calls.items())), f"resumed {[one.resumed for one in soak.listeners[:-1]]}")
    except AssertionError:
        print(f"failed after {time.monotonic() - begun:.0f} s; BRASA_SOAK_SEED={SEED} repeats its random part")
        raise
    finally:
        server.kill()
    done = servers.run("verify", "--data", server.data, timeout=1_800, program=program)
    assert done.returncode == 0, done.stdout + done.stderr


def prepare(world, directory):
    """The indexes that queries and sums take, and rules."""
    file = directory / "indexes.json"
    file.write_text(json.dumps({"indexes": INDEXES}))
    servers.run("indexes", "apply", file, "--project", world.project, "--data", world.server.data)
    world.rules().deploy(rules.service(RULES.format(version=0)))

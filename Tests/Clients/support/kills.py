"""Cycles of kill -9 under load, each followed by a look at what must be there."""

import contextlib
import os
import pathlib
import random
import threading
import time

from google.cloud import firestore
from google.oauth2.credentials import Credentials

from support import clients, ledger as ledgers, secrets, server as servers

WRITERS = 4
# All documents are read again after so many cycles; the newest ones after each.
FULL_CHECK = 50
# One kill in so many comes while the server starts.
EARLY = 5


class Lane:
    """One server that is killed again and again, in development or, with certificates, in production."""

    def __init__(self, directory, seed, certificates=None, program=None):
        data = pathlib.Path(directory) / "data"
        if certificates:
            # gRPC reads it once, before the first connection of a process.
            os.environ["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"] = str(certificates / "authority.pem")
            self.server = servers.Brasa.production(
                data, certificates, program=program, environment={"BRASA_PROJECT": servers.PROJECT}
            )
        else:
            self.server = servers.Brasa(data, program=program)
        self.is_production = certificates is not None
        self.key = None
        self.chooser = random.Random(seed)
        self.ledger = ledgers.Ledger()

    def start(self):
        """Starts the server and gives a client with every right."""
        self.server.start()
        if not self.is_production:
            return clients.connect(self.server, "ledger")
        self.key = self.key or self.server.administrator_key
        return firestore.Client(
            project=servers.PROJECT,
            credentials=Credentials(token=self.key),
            client_options={"api_endpoint": f"localhost:{self.server.port}"},
        )

    def run(self, cycles):
        """Kills the server that often; what was acknowledged is checked after each kill."""
        newest = 1
        for cycle in range(cycles):
            with contextlib.closing(self.start()) as client:
                if cycle % FULL_CHECK == FULL_CHECK - 1:
                    ledgers.check(client, self.ledger)
                else:
                    ledgers.check_since(client, self.ledger, newest)
                newest = self.ledger.next_number + 1
                self.write_and_kill(client, cycle)
            # The output of so many starts is of no use once the cycle is over.
            del self.server.lines[:-200]
            if self.chooser.randrange(EARLY) == 0:
                self.kill_at_the_start()
        with contextlib.closing(self.start()) as client:
            ledgers.check(client, self.ledger)
        assert self.server.stop() == 0
        done = servers.run("verify", "--data", self.server.data, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr

    def write_and_kill(self, client, cycle):
        stop, first_write = threading.Event(), threading.Event()
        writers = [
            threading.Thread(
                target=ledgers.write_until_it_dies, args=(client, self.ledger, stop, first_write)
            )
            for _ in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        assert first_write.wait(60), f"cycle {cycle}: nothing was acknowledged\n{self.server.output}"
        # When the kill comes is the random part of the experiment.
        stop.wait(self.chooser.uniform(0.001, 0.15))
        self.server.kill()
        stop.set()
        for writer in writers:
            writer.join(60)
        assert not any(writer.is_alive() for writer in writers)

    def kill_at_the_start(self):
        self.server.begin()
        threading.Event().wait(self.chooser.uniform(0, 0.2))
        self.server.kill()


def run_lane(directory, cycles, seed, certificates=None, program=None):
    """Runs a lane; gives how many batches and increments were kept, and the seconds."""
    start = time.monotonic()
    lane = Lane(directory, seed, certificates, program)
    try:
        lane.run(cycles)
    finally:
        lane.server.kill()
    assert not secrets.leaks(servers.Process.log)
    return len(lane.ledger.pairs), lane.ledger.increments, time.monotonic() - start

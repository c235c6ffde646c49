"""Primaries that are killed, stopped and frozen under load: no file that was acknowledged is lost or old, no message stays away.

`BRASA_CHAOS_SECONDS` says for how long, `BRASA_TEST_SEED` chooses what is random.
"""

import collections
import itertools
import json
import os
import random
import signal
import threading
import time

import pytest
import requests
from requests import exceptions

from support import cluster, messaging, postgres, relay, rpc, server as servers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]

SECONDS = float(os.environ.get("BRASA_CHAOS_SECONDS", "60"))
# In the store, in a file, in several parts.
SIZES = 300, 60_000, 900_000
AUTHORS = "abcd"
# Messages that may be on their way: fewer than a device is kept.
UNDERWAY = 50
# Of a call that fails so nobody knows what came of it.
UNSURE = exceptions.ConnectionError, exceptions.ChunkedEncodingError, exceptions.ReadTimeout


class Doors:
    """Ways to the nodes that stay where they are when a node comes back."""

    def __init__(self, nodes, chooser):
        self.nodes, self.chooser = nodes, chooser
        self.each = [relay.Relay(node.port) for node in nodes]

    def follow(self):
        for door, node in zip(self.each, self.nodes):
            door.target = node.port

    def any(self):
        return f"http://{self.chooser.choice(self.each).host}"

    def close(self):
        for door in self.each:
            door.close()


class Worker:
    """A thread that goes on whatever fails, and counts what succeeded."""

    def __init__(self):
        self.done, self.failure = 0, None
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        try:
            for number in itertools.count():
                if self.is_over.is_set():
                    return
                if self.work(number):
                    self.done += 1
                else:
                    # Whoever is refused does not ask again at once.
                    self.is_over.wait(0.1)
        except Exception as error:
            self.failure = f"{self}: {error!r}"

    def end(self):
        self.is_over.set()
        self.thread.join()
        assert not self.failure, self.failure


class Author(Worker):
    """Overwrites files of its own, and reads each at once by another way."""

    def __init__(self, name, doors, bucket, chooser):
        super().__init__()
        self.name, self.doors, self.bucket, self.chooser = name, doors, bucket, chooser
        # What each file may hold: what was acknowledged last, and what nobody knows of.
        self.contents, self.unsure = {}, collections.defaultdict(set)

    def work(self, number):
        file, tag = f"{self.name}/{number % 5}", f"{self.name}-{number};"
        size = self.chooser.choice(SIZES)
        body = (tag * (size // len(tag) + 1)).encode()
        target = f"{self.doors.any()}/upload/storage/v1/b/{self.bucket}/o?uploadType=media&name={file}"
        try:
            answer = requests.post(target, body, headers=dict(rpc.OWNER), timeout=60)
        except UNSURE:
            self.unsure[file].add(body)
            return False
        if answer.status_code != 200:
            assert answer.status_code in (409, 429, 500, 503, 504), answer.text
            self.unsure[file].add(body)
            return False
        self.contents[file] = body
        self.read(file)
        return True

    def read(self, file, door=None):
        """Looks at a file; gives whether it was shown."""
        target = f"{door or self.doors.any()}/v0/b/{self.bucket}/o/{file.replace('/', '%2F')}?alt=media"
        try:
            answer = requests.get(target, headers=dict(rpc.OWNER), timeout=60)
        except UNSURE:
            return False
        if answer.status_code in (500, 503, 504):
            return False
        assert answer.status_code == 200, f"{file}: {answer.status_code} {answer.text[:200]}"
        assert answer.content == self.contents[file] or answer.content in self.unsure[file], (
            f"{file} holds {answer.content[:20]}… of {len(answer.content)} bytes, not {self.contents[file][:20]}…"
        )
        return True


class Sender(Worker):
    """Sends a device messages with numbers."""

    def __init__(self, doors, project, token):
        super().__init__()
        self.doors, self.project, self.token = doors, project, token
        self.acknowledged, self.receiver = set(), None

    def work(self, number):
        if len(self.acknowledged - self.receiver.numbers) > UNDERWAY:
            return False
        body = {"message": {"token": self.token, "data": {"number": str(number)}}}
        target = f"{self.doors.any()}/v1/projects/{self.project}/messages:send"
        try:
            answer = requests.post(target, json=body, headers=dict(rpc.OWNER), timeout=60)
        except UNSURE:
            return False
        if answer.status_code != 200:
            assert answer.status_code in (429, 500, 503, 504), answer.text
            return False
        self.acknowledged.add(number)
        return True


class Receiver(Worker):
    """The device: reads its stream by one way or another."""

    def __init__(self, doors, device):
        super().__init__()
        self.doors, self.device = doors, device
        self.numbers, self.last = set(), 0

    def work(self, _):
        self.device.url = self.doors.any()
        try:
            answer = self.device.post(
                "registrations:connect", {"token": self.device.token, "acknowledged": str(self.last)},
                session=requests.Session(), stream=True,
            )
            if answer.status_code != 200:
                assert answer.status_code in (429, 500, 503, 504), answer.text
                return False
            with answer:
                for line in map(json.loads, answer.iter_lines(chunk_size=1)):
                    if "sequence" in line:
                        self.numbers.add(int(line["message"]["data"]["number"]))
                        self.last = int(line["sequence"])
                        self.done += 1
                    if self.is_over.is_set() or self.done % 40 == 39:
                        break
            acknowledged = self.device.post("registrations:acknowledge", {"token": self.device.token, "sequence": str(self.last)})
            return acknowledged.status_code == 200
        except UNSURE:
            return False


def strike(made, doors, chooser):
    """Ends a node or two, and starts them again; gives what it did."""
    primary = made.primary() or chooser.choice(made.nodes)
    other = chooser.choice([node for node in made.nodes if node is not primary])
    blow = chooser.choice(["kill", "kill", "stop", "freeze", "kill another", "kill both"])
    victims = {"kill another": [other], "kill both": [primary, other]}.get(blow, [primary])
    if blow == "freeze":
        primary.process.send_signal(signal.SIGSTOP)
        servers.wait_for(lambda: made.primary() not in (None, primary), "another primary")
        primary.process.send_signal(signal.SIGCONT)
        servers.wait_for(lambda: not primary.is_running, "the end of the old primary")
    for node in victims:
        if blow == "stop":
            assert node.stop() == 0
        else:
            node.kill()
    # Another one has begun to take the place, or has it.
    threading.Event().wait(chooser.uniform(0, 12))
    for node in victims:
        node.start()
        del node.lines[:-200]
    doors.follow()
    return f"{blow} of {', '.join(str(made.nodes.index(node)) for node in victims)}"


def test_files_and_messages_survive_home_nodes_that_come_and_go(tmp_path, project):
    seed = int(os.environ.get("BRASA_TEST_SEED", random.randrange(2**32)))
    print(f"seed {seed}")
    chooser = random.Random(seed)
    made = cluster.Cluster(tmp_path, count=3, candidates=3)
    (tmp_path / "files").mkdir()
    for node in made.nodes:
        node.data.mkdir(mode=0o700)
        (node.data / "files").symlink_to(tmp_path / "files")
    made.start()
    doors = Doors(made.nodes, chooser)
    device = messaging.Device(made.nodes[0], project).register()
    authors = [Author(name, doors, f"{project}.appspot.com", chooser) for name in AUTHORS]
    receiver, sender = Receiver(doors, device), Sender(doors, project, device.token)
    sender.receiver = receiver
    workers = [*authors, sender, receiver]
    try:
        for worker in workers:
            worker.thread.start()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            what, begun = strike(made, doors, chooser), time.monotonic()
            before = [worker.done for worker in workers]

            def have_gone_on():
                assert not any(worker.failure for worker in workers), [worker.failure for worker in workers]
                return all(worker.done > had for worker, had in zip(workers, before))

            servers.wait_for(have_gone_on, "files and messages", 60)
            print(f"{what}: all went on after {time.monotonic() - begun:.1f} s")
        for worker in [*authors, sender]:
            worker.end()
        servers.wait_for(lambda: sender.acknowledged <= receiver.numbers, "the last messages", 120)
        # A message wakes the device, which looks whether it is over.
        receiver.is_over.set()
        sender.is_over.clear()
        servers.wait_for(lambda: sender.work(1_000_000) or not receiver.thread.is_alive(), "the end of the device")
        receiver.end()
        for author, file in [(author, file) for author in authors for file in author.contents]:
            for door in doors.each:
                assert author.read(file, f"http://{door.host}")
        primary = made.primary()
        done = servers.run("verify", "--data", primary.data, environment=primary.environment, timeout=600)
        assert "no differences" in done.stdout, done.stdout
        print(f"{sum(author.done for author in authors)} files, {len(sender.acknowledged)} messages; {done.stdout.splitlines()[-1]}")
        assert made.stop() == 0
    finally:
        for worker in workers:
            worker.is_over.set()
        doors.close()
        made.close()

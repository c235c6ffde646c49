"""What a client can do to a server in production, and to others: attacks, with the server's memory, descriptors
and threads, and an honest client's answers, measured while they run.

An honest client's gets are compared with those beside the same traffic that goes to another process, so
that the figures say what the server does and not what the machine does. `BRASA_ATTACK_SEED` chooses the
random part.
"""

import json
import os
import resource
import subprocess
import sys
import threading
from typing import NamedTuple

import pytest

from attacks.registry import all_attacks
from support import rest, rules, server as servers
from support.identity import Identity
from support.vitals import Sampler, Vitals, vitals

pytestmark = [pytest.mark.slow, pytest.mark.brasa_only]

ATTACKS = all_attacks()
SEED = int(os.environ.get("BRASA_ATTACK_SEED", "20261122"))
MIB = 1 << 20
# What anonymous clients may make the process take, however many they are, and for each connection.
MOST_MEMORY = 256 * MIB
MOST_MEMORY_OF_A_CONNECTION = 48 << 10
# How much later an honest client's slowest gets may come for the attack.
MOST_DELAY = 5
# What a process at rest differs by: memory that the allocator keeps, connections of probes, idle threads.
REST = Vitals(64 * MIB, 8, 4)
RECOVERY_SECONDS = 60
QUIET_SECONDS = 3
FINISH_SECONDS = 240


class Outcome(NamedTuple):
    """A row of the table."""

    name: str
    idle: Vitals
    peak: Vitals
    after: Vitals
    traffic: dict
    under_attack: dict
    beside_sink: dict

    @property
    def most_memory(self):
        connections = max(0, self.peak.descriptors - self.idle.descriptors)
        return self.idle.memory + MOST_MEMORY + connections * MOST_MEMORY_OF_A_CONNECTION

    def row(self):
        attacked, beside = self.under_attack, self.beside_sink
        return (
            f"{self.name:32} {self.idle.memory >> 20:5} {self.peak.memory >> 20:5} {self.after.memory >> 20:5}"
            f" {self.peak.descriptors:6} {self.after.descriptors:5} {self.peak.threads:4}"
            f" {self.traffic['opened']:7} {self.traffic['sent'] / MIB:8.1f}"
            f" {1000 * attacked['p99']:8.1f} {1000 * beside['p99']:8.1f} {attacked['p99'] / beside['p99']:6.1f}"
            f" {len(attacked['failures']):4} {attacked['chores']:6} {beside['chores']:6}"
            f" {len(attacked['chore_failures']):4}"
        )


HEADING = (
    f"{'attack':32} {'idle':>5} {'peak':>5} {'after':>5} {'fds':>6} {'after':>5} {'thr':>4} {'conns':>7}"
    f" {'sent MB':>8} {'p99 ms':>8} {'sink ms':>8} {'ratio':>6} {'fail':>4} {'chores':>6} {'sink':>6} {'fail':>4}"
)


@pytest.fixture(scope="module")
def table():
    """The outcomes, printed at the end and, as lines, to the file that BRASA_ATTACK_TABLE names."""
    outcomes = []
    yield outcomes
    lines = [f"program {servers.release_binary()} seed {SEED}", HEADING, *(one.row() for one in outcomes)]
    print("\n" + "\n".join(lines))
    if file := os.environ.get("BRASA_ATTACK_TABLE"):
        with open(file, "a") as out:
            out.write("\n".join(lines) + "\n")


@pytest.fixture(scope="module", autouse=True)
def many_descriptors():
    """Generators hold ten thousand connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Victim:
    """A production server over TLS with the honest client's document and account."""

    project = servers.PROJECT

    def __init__(self, directory, certificates, attack):
        self.certificates = certificates
        self.attack = attack
        self.server = servers.Brasa.production(
            directory / "data", certificates, *attack.server_arguments,
            # A process that writes a backtrace for half a minute is dead all the same.
            environment={"BRASA_PROJECT": servers.PROJECT, "SWIFT_BACKTRACE": "enable=no"},
            program=servers.release_binary(),
        )
        if descriptors := attack.descriptors:
            self.server.command = ["prlimit", f"--nofile={descriptors}:{descriptors}", *self.server.command]
        self.server.start()
        self.key = self.server.administrator_key
        self.administrator().documents("PATCH", "honest/document", json={"fields": {"n": {"integerValue": "0"}}})
        identity = Identity(self.server, servers.PROJECT, verify=self.server.authority)
        identity.client("signUp", email="honest@example.com", password="correct horse 7")
        if attack.rules:
            api = rules.RulesAPI(self.server.url, servers.PROJECT, self.key, self.server.authority)
            api.deploy(rules.service(attack.rules))
        self.prepared = attack.prepare(self)
        self.margin = REST._replace(descriptors=REST.descriptors + attack.kept_descriptors)

    def administrator(self):
        return rest.Rest(self.server, servers.PROJECT, token=self.key)

    @property
    def pid(self):
        return self.server.process.pid

    def honest(self, seconds):
        arguments = [self.certificates, "--port", self.server.port, "--project", servers.PROJECT]
        arguments += ["--seconds", seconds, "--written-bytes", self.attack.written_bytes]
        arguments += ["--signs-in"] * self.attack.signs_in + ["--moves"] * self.attack.moves
        return program("attacks.honest", *arguments, BRASA_TOKEN=self.key)

    def generator(self, port, seconds):
        arguments = [self.attack.__name__, "--port", port, "--project", servers.PROJECT]
        return program("attacks.generator", *arguments, "--seconds", seconds, "--seed", SEED)


def program(module, *arguments, **environment):
    """A Python process of this directory whose output is read."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=os.path.dirname(__file__), env=servers.clean_environment(environment),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )


def report(process):
    """The line of JSON with which a process ends."""
    output, errors = process.communicate(timeout=FINISH_SECONDS)
    assert process.returncode == 0, errors
    return json.loads(output)


def run(victim, port):
    """The attack's traffic to that port, and the honest client's gets meanwhile."""
    seconds = victim.attack.seconds
    traffic, gets = victim.generator(port, seconds), victim.honest(seconds)
    try:
        return report(traffic), report(gets)
    finally:
        for process in (traffic, gets):
            process.kill()
            process.wait()


def run_beside_sink(victim, traffic):
    """The same, but that the traffic goes to a process that does nothing with it."""
    ended = traffic["closed_by_server"]
    each = traffic["sent"] // ended if ended > traffic["most_open"] // 2 and ended else 0
    sink = program("attacks.sink", victim.certificates, "--bytes", each)
    try:
        return run(victim, int(sink.stdout.readline()))[1]
    finally:
        sink.kill()
        sink.wait()


def rested(victim, idle):
    """The server's vitals once they came back to what they were, or after a minute."""
    pause = threading.Event()
    for _ in range(RECOVERY_SECONDS * 2):
        now = vitals(victim.pid)
        if all(there <= before + spare for there, before, spare in zip(now, idle, victim.margin)):
            break
        pause.wait(0.5)
    return now


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_hurts_nobody(name, tmp_path, certificates, table):
    """The server lives, memory is bounded and comes back, and an honest client hardly notices."""
    attack = ATTACKS[name]
    victim = Victim(tmp_path, certificates, attack)
    try:
        report(victim.honest(QUIET_SECONDS))
        idle = vitals(victim.pid)
        sampler = Sampler(victim.pid)
        traffic, under_attack = run(victim, victim.server.port)
        peak = sampler.stop()
        assert victim.server.is_running, f"the server died:\n{victim.server.output[-4000:]}"
        after = rested(victim, idle)
        complaints = attack.complaints(traffic, victim)
        outcome = Outcome(name, idle, peak, after, traffic, under_attack, run_beside_sink(victim, traffic))
        table.append(outcome)
        print(f"{name}: {attack.description()}\n{HEADING}\n{outcome.row()}\n{traffic}\n{under_attack}")
        check(outcome, victim.margin, complaints)
        victim.administrator().documents("PATCH", "honest/document", json={"fields": {}})
        assert victim.server.stop() == 0, victim.server.output[-4000:]
    finally:
        victim.server.kill()


def check(outcome, margin, complaints):
    """Says everything that is wrong at once; `complaints` are those of the attack itself."""
    attacked, beside = outcome.under_attack, outcome.beside_sink
    complaints = list(complaints)
    if not outcome.traffic["sent"]:
        complaints.append("nothing was sent")
    if outcome.peak.memory > outcome.most_memory:
        complaints.append(f"took {outcome.peak}, idle {outcome.idle}")
    for there, before, spare, what in zip(outcome.after, outcome.idle, margin, Vitals._fields):
        if there > before + spare:
            complaints.append(f"a minute later still {what} {there}, idle {before}")
    if attacked["p99"] > MOST_DELAY * beside["p99"]:
        complaints.append(f"gets took {attacked['p99']:.3f} s, beside the sink {beside['p99']:.3f} s")
    if attacked["chores"] * MOST_DELAY < beside["chores"]:
        complaints.append(f"{attacked['chores']} chores were done, beside the sink {beside['chores']}")
    for failures in (attacked["failures"], attacked["chore_failures"]):
        if failures:
            complaints.append(f"{len(failures)} failures, first {failures[0]}")
    assert not complaints, "\n".join(complaints)

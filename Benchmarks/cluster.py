"""Measures two nodes on one PostgreSQL beside one server on RocksDB, and prints a table; and files at the home node beside files that
the other node passes on to it.

PostgreSQL is started for the run, durable as it comes, and removed afterwards; it, both nodes and the load client share
the machine. `--seconds` is the length of a measure.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import compare
import peers

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Tests/Clients"))
from support import postgres  # noqa: E402

INDEXES = pathlib.Path(__file__).with_name("firestore.indexes.json")


class Alone(peers.Brasa):
    """One server on RocksDB."""

    name = "RocksDB"
    others = ()

    @property
    def other_nodes(self):
        return [part for other in self.others for part in ("--node", f"127.0.0.1:{other.port}")]

    def load(self, *arguments):
        return self.brasa_load(*arguments, *self.other_nodes)


class Node(Alone):
    """A node of a cluster."""

    name = "two nodes"

    def __init__(self, programs, directory, number, store):
        own = directory / f"node-{number}"
        own.mkdir()
        super().__init__(programs, own)
        self.store, self.is_home = store, number == 0

    def command(self):
        return [*super().command(), "--cluster", *(["--home"] if self.is_home else []), "--store", self.store]


class Measures:
    def __init__(self, options):
        self.options = options
        self.rows = {}

    def add(self, measure, server, figure):
        print(f"  {measure}: {server} {compare.shown(figure)}", flush=True)
        self.rows.setdefault(measure, {})[server] = figure

    def table(self):
        lines = ["| Measure | two nodes on PostgreSQL | one on RocksDB | ratio |", "|---|---|---|---|"]
        for measure, figures in self.rows.items():
            nodes, alone = figures[Node.name], figures.get(Alone.name)
            ratio = f"{nodes / alone:.2f}" if alone else ""
            lines.append(f"| {measure} | {compare.shown(nodes)} | {compare.shown(alone)} | {ratio} |")
        return "\n".join(lines)

    def throughput(self, server):
        seconds, documents = self.options.seconds, self.options.documents
        server.fill(documents)
        for measure, arguments in (
            ("create, 64 in flight", ("create", "--connections", 16, "--in-flight", 4, "--collection", "others")),
            ("get of cached documents, 256 in flight", ("get", "--documents", documents)),
            ("seed query of 20, 64 in flight", ("query", "--documents", documents, "--connections", 16, "--in-flight", 4)),
        ):
            rate, report = server.load(*arguments, "--seconds", seconds)
            print(report, flush=True)
            self.add(f"{measure}, /s", server.name, rate)
        self.listening(server)

    def listening(self, server):
        """One commit at a time, which a listener sees: of another node where there is one."""
        command = [server.programs / "brasa-load", "listen", "--listeners", 1, "--connections", 1, "--port", server.port,
                   "--seconds", self.options.seconds, "--collection", "listened", *server.other_nodes]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        print(done.stdout, flush=True)
        found = re.search(r"commit to delivery: p50 ([\d.]+) ms, p99 ([\d.]+) ms", done.stdout)
        self.add("commit to listener, p50 ms", server.name, float(found[1]))
        self.add("commit to listener, p99 ms", server.name, float(found[2]))

    def passed_on(self, home, other):
        """Files of the home node, asked of itself and of the other node."""
        for name, size, objects, connections in (("20 KB", 20_480, 2_000, 64), ("10 MB", 10_000_000, 8, 8)):
            files = ("--size", size, "--connections", connections)
            home.brasa_load("files", "fill", "--objects", objects, *files)
            for verb, what in (("download", "read"), ("upload", "written")):
                count = ("--objects", objects) if verb == "download" else ()
                rates = []
                for node in (home, other):
                    rate, report = node.brasa_load("files", verb, *files, *count, "--seconds", self.options.seconds)
                    print(report, flush=True)
                    rates.append(rate)
                self.add(f"files of {name} {what}, {connections} connections, /s: at home", Node.name, rates[0])
                self.add(f"files of {name} {what}, {connections} connections, /s: passed on", Node.name, rates[1])

    def node_killed(self, nodes):
        """The longest pause of the survivor's creates while the other node is killed, in milliseconds."""
        survivor, victim = nodes
        seconds = self.options.seconds
        timer = threading.Timer(seconds / 2, victim.kill)
        timer.start()
        rate, report = survivor.brasa_load("create", "--connections", 4, "--in-flight", 4, "--seconds", seconds, "--warm-up", 0,
                                           "--collection", "killed")
        timer.join()
        assert re.search(r"^errors: 0$", report, re.MULTILINE), report
        self.add("a node is killed: the other's longest create, ms", Node.name,
                         float(re.search(r"longest ([\d.]+) ms", report)[1]))

    def database_restarted(self, node, database):
        """Seconds from PostgreSQL being back to the first create that is acknowledged."""
        def restart():
            database.tell("restart")
            back.append(time.monotonic())

        back, done = [], []
        restarting = threading.Thread(target=restart)
        restarting.start()
        while not back or not done or done[-1] < back[0]:
            try:
                node.post_one()
                done.append(time.monotonic())
            except OSError:
                continue
        restarting.join()
        first = next(moment for moment in done if moment > back[0])
        self.add("PostgreSQL restarted: acknowledged again after, s", Node.name, first - back[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="where brasa and brasa-load are")
    parser.add_argument("--documents", type=int, default=20_000, help="products")
    parser.add_argument("--seconds", type=int, default=5, help="seconds a measure")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    measures = Measures(options)
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder)
        print(f"fsync p50 {compare.sync_milliseconds(directory):.2f} ms", flush=True)
        alone = Alone(options.programs, directory)
        alone.start()
        try:
            alone.apply_indexes(INDEXES)
            measures.throughput(alone)
        finally:
            alone.stop()
        database = postgres.Postgres(durable=True)
        os.environ["BRASA_STORE"] = database.address
        nodes = [Node(options.programs, directory, number, database.address) for number in range(2)]
        try:
            for node in nodes:
                node.start()
            nodes[0].others = nodes[1:]
            nodes[0].apply_indexes(INDEXES)
            measures.throughput(nodes[0])
            measures.passed_on(*nodes)
            measures.node_killed(nodes)
            nodes[1].start()
            measures.database_restarted(nodes[0], database)
        finally:
            for node in nodes:
                node.stop()
            database.close()
    print(measures.table())


if __name__ == "__main__":
    main()

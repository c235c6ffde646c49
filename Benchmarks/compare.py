"""Runs the measures of the project's table on Brasa and its peers, and prints ratios.

Each server runs alone. A peer that is not installed is left out and said so.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import peers

BOTH, ONE = None, 0  # the server's core; with one core the client has the other


def sync_milliseconds(directory, times=200):
    """The median of a small append and fsync in that directory."""
    taken = []
    with open(directory / "sync.probe", "wb") as file:
        for _ in range(times):
            file.write(b"x" * 700)
            file.flush()
            begun = time.perf_counter()
            os.fsync(file.fileno())
            taken.append((time.perf_counter() - begun) * 1000)
    return sorted(taken)[times // 2]


class Results:
    """Figures by measure and server."""

    def __init__(self):
        self.rows = {}

    def add(self, measure, server, figure):
        print(f"  {measure}: {server} {shown(figure)}", flush=True)
        self.rows.setdefault(measure, {})[server] = figure

    def table(self):
        lines = ["| Measure | Brasa | beside it | ratio |", "|---|---|---|---|"]
        for measure, figures in self.rows.items():
            own = figures.get("Brasa")
            for server, figure in figures.items():
                if server != "Brasa":
                    ratio = f"{own / figure:.2f}" if own and figure else ""
                    lines.append(f"| {measure} | {shown(own)} | {server} {shown(figure)} | {ratio} |")
            if set(figures) == {"Brasa"}:
                lines.append(f"| {measure} | {shown(own)} | | |")
        return "\n".join(lines)


def shown(figure):
    if figure is None:
        return "-"
    return f"{figure:,.2f}" if figure < 10 else f"{figure:,.0f}"


def measure_brasa(options, directory, results):
    seconds, documents = options.seconds, options.documents
    index = pathlib.Path(__file__).with_name("firestore.indexes.json")
    for core in (BOTH, ONE):
        client = None if core is None else 1
        where = "both cores" if core is None else "server on one core"
        folder = directory / f"brasa-{core}"
        folder.mkdir()
        server = peers.Brasa(options.programs, folder, core)
        server.start()
        try:
            server.brasa_load("create", "--seconds", 1, "--warm-up", 0, "--connections", 1,
                              "--in-flight", 1, "--collection", "first")
            server.apply_indexes(index)
            server.fill(documents)
            server.apply_indexes(index)
            rate, _ = server.brasa_load("get", "--documents", documents, "--seconds", seconds, client_core=client)
            results.add(f"get, random names, 16 x 16, {where}", "Brasa", rate)
            rate, report = server.brasa_load("query", "--documents", documents, "--seconds", seconds,
                                             "--connections", 16, "--in-flight", 4, client_core=client)
            print(report)
            results.add(f"seed query, 20 of {documents}, {where}", "Brasa", rate)
            if core is None:
                results.add("get, one name, h2load 16 x 16", "Brasa", server.get_one_name(seconds))
                results.add("resident MB after loading and reading", "Brasa", server.resident_megabytes() or 0)
                for connections, in_flight in ((1, 1), (16, 4)):
                    rate, report = server.brasa_load(
                        "create", "--seconds", seconds, "--connections", connections,
                        "--in-flight", in_flight, "--collection", f"made{connections}")
                    print(report)
                    results.add(f"create, {connections * in_flight} in flight", "Brasa", rate)
                rate, report = server.brasa_load("transact", "--seconds", seconds, "--connections", 16, "--in-flight", 1)
                print(report)
                results.add("transactions on one document, 16 clients", "Brasa", rate)
                server.stop()
                results.add("start after a clean stop, ms", "Brasa", server.start() * 1000)
                server.kill()
                results.add("start after kill -9, ms", "Brasa", server.start() * 1000)
        finally:
            server.stop()


def measure_rules(options, directory, results):
    """What rules and a signed token cost: a server without either and one with both, in turn."""
    servers = []
    for peer in (peers.Brasa, peers.RuledBrasa):
        folder = directory / peer.__name__
        folder.mkdir()
        servers.append(peer(options.programs, folder))
    plain, ruled = servers
    documents = min(options.documents, 20_000)
    loads = (
        ("get, random names, 16 x 16", ("get", "--documents", documents)),
        ("create, 64 in flight", ("create", "--connections", 16, "--in-flight", 4, "--collection", "products")),
        ("create, 1 in flight", ("create", "--connections", 1, "--in-flight", 1, "--collection", "products")),
    )
    try:
        for server in servers:
            server.start()
        ruled.prepare(pathlib.Path(__file__).with_name("seed.rules"))
        for server in servers:
            server.fill(documents)
        for measure, arguments in loads:
            rates = {server: [] for server in servers}
            for _ in range(options.runs):
                for server in servers:
                    rate, _ = server.brasa_load(*arguments, "--seconds", options.seconds, "--warm-up", 1)
                    rates[server].append(rate)
            for server, name in ((ruled, "Brasa"), (plain, "without rules or token")):
                results.add(f"{measure}, rules and a token", name, sorted(rates[server])[options.runs // 2])
    finally:
        for server in servers:
            server.stop()


# The listening rows: what is measured, brasa-load's arguments, and which figures of its report.
LISTENING = (
    ("5,000 listeners, same query, a connection each",
     ("--listeners", 5_000, "--connections", 5_000),
     (("commit to the last of them, ms", r"commit to last listener: p50 ([\d.]+) ms"),
      ("deliveries a second", r"deliveries: \d+, ([\d.]+)/s"))),
    ("10,000 listeners, same query, 100 connections",
     ("--listeners", 10_000, "--connections", 100),
     (("commit to the last of them, ms", r"commit to last listener: p50 ([\d.]+) ms"),
      ("deliveries a second", r"deliveries: \d+, ([\d.]+)/s"))),
    ("100,000 idle listeners on 100 connections",
     ("--idle", "--listeners", 100_000, "--connections", 100, "--distinct-users"),
     (("KB a listener", r"memory: .* ([\d.-]+) KB more a listener"),)),
    ("5,000 idle connections with a listener each",
     ("--idle", "--listeners", 5_000, "--connections", 5_000),
     (("KB a connection", r"memory: .* ([\d.-]+) KB a connection"),)),
    ("100,000 listeners, a query each, 100 connections",
     ("--commit-rate", "--listeners", 100_000, "--connections", 100, "--distinct-users"),
     (("commits touching none, % of the rate without", r"none concerns: .*, ([\d.]+) % of that"),
      ("commits touching one each, % of the rate without", r"one listener each: .*, ([\d.]+) % of that"))),
    ("one listener, one writer",
     ("--listeners", 1, "--connections", 1),
     (("commit to delivery, p50 ms", r"commit to delivery: p50 ([\d.]+) ms"),
      ("commit to delivery, p99 ms", r"commit to delivery: .*p99 ([\d.]+) ms"),
      ("answer to delivery, p99 ms", r"answer to delivery: .*p99 ([\d.]+) ms"))),
    ("1,000 listeners on 50 connections, 100 commits/s",
     ("--listeners", 1_000, "--connections", 50, "--rate", 100, "--seconds", 60),
     (("commit to delivery, p99 ms", r"commit to delivery: .*p99 ([\d.]+) ms"),
      ("resets", r"coalesced or missing, (\d+) resets"))),
    ("10,000 listeners back after a restart",
     ("--resume", "--listeners", 10_000, "--connections", 100),
     (("ms", r"resumed: ([\d.]+) ms"), ("documents sent again", r"resumed: [\d.]+ ms, (\d+) documents"))),
)


def measure_listening(options, directory, results):
    programs = pathlib.Path(options.programs)
    for measure, arguments, figures in LISTENING:
        command = [programs / "brasa-load", "listen", "--program", programs / "brasa", *arguments]
        if "--seconds" not in arguments:
            command += ["--seconds", options.seconds]
        values = {name: [] for name, _ in figures}
        for _ in range(options.runs):
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900)
            if done.returncode or re.search(r"^errors: [1-9]", done.stdout, re.MULTILINE):
                raise RuntimeError(f"{command}\n{done.stdout}{done.stderr}")
            for name, pattern in figures:
                values[name].append(float(re.search(pattern, done.stdout)[1]))
        print(done.stdout)
        for name, found in values.items():
            results.add(f"{measure}: {name}", "Brasa", sorted(found)[len(found) // 2])


# Creates in flight beside RocksDB alone: connections and calls on each.
RAW_LOADS = ((1, 1), (16, 4))
# More products than RocksDB alone writes in a second anywhere that this was run, by the group's size.
RAW_RATES = ((1, 20_000), (64, 60_000))


def raw(options, directory, group):
    """What RocksDB alone writes a second in groups of that size, for as long and into as much as the server."""
    rate = next((rate for size, rate in RAW_RATES if group <= size), RAW_RATES[-1][1])
    folder = directory / "raw"
    command = [pathlib.Path(options.programs) / "brasa-load", "raw", "--group", group, "--fill", options.documents,
               "--documents", rate * options.seconds, "--seconds", options.seconds, "--directory", folder]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    print(done.stdout)
    return float(re.search(r"^throughput: ([\d.]+)/s", done.stdout, re.MULTILINE)[1])


def measure_raw(options, directory, results):
    """Creates and RocksDB alone in turn: in groups as large as the server's were, and as large as they could be."""
    for connections, in_flight in RAW_LOADS:
        asked = connections * in_flight
        rates, alone, full = [], [], []
        for number in range(options.runs):
            folder = directory / f"beside-raw-{asked}-{number}"
            folder.mkdir()
            server = peers.Brasa(options.programs, folder)
            server.start()
            try:
                server.fill(options.documents)
                rate, report = server.brasa_load(
                    "create", "--seconds", options.seconds, "--warm-up", 0, "--connections", connections,
                    "--in-flight", in_flight, "--collection", "products")
            finally:
                server.stop()
            shutil.rmtree(folder)
            print(report)
            made = int(re.search(r"^durable: (\d+) documents", report, re.MULTILINE)[1])
            group = max(1, round(made / int(re.search(r"^groups: (\d+) synced", report, re.MULTILINE)[1])))
            rates.append(rate)
            alone.append(raw(options, directory, group))
            print(f"  {rate / alone[-1]:.2f} of RocksDB alone in groups of {group}", flush=True)
            if asked > 1:
                full.append(raw(options, directory, asked))
        middle = options.runs // 2
        measure = f"create, {asked} in flight, beside RocksDB alone"
        results.add(measure, "Brasa", sorted(rates)[middle])
        results.add(measure, "RocksDB alone, groups of the server's size", sorted(alone)[middle])
        if full:
            results.add(measure, f"RocksDB alone, groups of {asked}", sorted(full)[middle])
        ratios = sorted(rate / other for rate, other in zip(rates, alone))
        print("  of RocksDB alone, run by run: " + ", ".join(f"{ratio:.2f}" for ratio in ratios), flush=True)


def measure_emulator(options, directory, results):
    server = peers.Emulator(options.programs, directory)
    server.start()
    try:
        server.fill(min(options.documents, 20_000))
        results.add("get, one name, h2load 16 x 16", server.name, server.get_one_name(options.seconds))
        for connections, in_flight in ((1, 1), (16, 4)):
            rate, _ = server.brasa_load("create", "--seconds", options.seconds, "--connections",
                                        connections, "--in-flight", in_flight, "--collection", "made")
            results.add(f"create, {connections * in_flight} in flight", f"{server.name} (not durable)", rate)
        results.add("resident MB after loading and reading", server.name, server.resident_megabytes() or 0)
    finally:
        server.stop()


def measure_pocketbase(options, directory, results):
    for core in (BOTH, ONE):
        folder = directory / f"pocketbase-{core}"
        folder.mkdir()
        client = None if core is None else 1
        where = "both cores" if core is None else "server on one core"
        server = peers.PocketBase(options.programs, folder, core)
        server.start()
        try:
            server.fill(options.documents)
            results.add(f"get, random names, 16 x 16, {where}", f"{server.name} (one name)", server.get(options.seconds, client))
            results.add(f"seed query, 20 of {options.documents}, {where}", server.name, server.list(options.seconds, client))
            if core is None:
                before = server.resident_megabytes()
                last, rate = server.listen(options.seconds, 5_000)
                name = "5,000 listeners, same query, a connection each"
                results.add(f"{name}: commit to the last of them, ms", server.name, last)
                results.add(f"{name}: deliveries a second", server.name, rate)
                print(f"  PocketBase grew from {before:.0f} to {server.resident_megabytes():.0f} MB")
                for connections in (1, 64):
                    results.add(f"create, {connections} in flight", f"{server.name} (not durable)",
                                server.create(options.seconds, connections))
        finally:
            server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--only", default="brasa,rules,listening,raw,emulator,pocketbase")
    parser.add_argument("--runs", type=int, default=3, help="runs of each row of rules, listening and raw; the median counts")
    options = parser.parse_args()
    chosen = options.only.split(",")
    directory = pathlib.Path(tempfile.mkdtemp(prefix=".build-benchmark-", dir=os.getcwd()))
    results = Results()
    try:
        print(f"fsync of 700 bytes: median {sync_milliseconds(directory):.2f} ms, {os.cpu_count()} cores")
        measures = {"brasa": measure_brasa, "rules": measure_rules, "listening": measure_listening,
                    "raw": measure_raw, "emulator": measure_emulator, "pocketbase": measure_pocketbase}
        for name, measure in measures.items():
            if name not in chosen:
                continue
            if name == "emulator" and not peers.Emulator.is_installed():
                print("emulator: not installed, left out")
                continue
            if name == "pocketbase" and not peers.PocketBase.program().exists():
                print("pocketbase: not installed, left out")
                continue
            print(name, flush=True)
            measure(options, directory, results)
        print("\n" + results.table())
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()

"""Measures Brasa with far more data than cache beside RocksDB alone, in turns, and prints medians and ratios.

Gets of random names, the seed query and creates; RocksDB alone reads the server's own tables and writes into a
copy of them, with the options of the server's engine. `--data` keeps the filled directory for the next run.
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request

import peers

WARM_UP_SECONDS = 3
# Half of `serve --cache` is the engine's blocks.
ENGINE_SHARE = 2
# What one product writes; a group of the server adds one key for its version.
KEYS_OF_A_PRODUCT = 8


class SmallCache(peers.Brasa):
    """A development server with little cache."""

    megabytes = 128

    def command(self):
        return [*super().command(), "--cache", self.megabytes]

    def settle(self):
        """Waits until the engine has merged what was written: neither side measures with the other's merging."""
        quiet = 0
        while quiet < 5:
            time.sleep(0.5)
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as answer:
                pending = re.search(r"^brasa_kv_compaction_pending_bytes(?:{.*})? (\S+)$", answer.read().decode(), re.MULTILINE)
            quiet = quiet + 1 if float(pending[1]) == 0 else 0


class Comparison:
    """One filled directory, measured by the server and by RocksDB alone."""

    def __init__(self, options, directory):
        self.options = options
        self.directory = directory
        self.server = SmallCache(options.programs, directory, None)
        self.server.megabytes = options.cache
        self.figures = {}

    def run(self):
        self.fill()
        for turn in range(self.options.turns):
            print(f"turn {turn + 1}", flush=True)
            self.measure_server()
            self.measure_alone()
        return self.table()

    def fill(self):
        filled = self.directory / "filled"
        if filled.exists() and filled.read_text() == str(self.options.documents):
            return
        self.server.start()
        try:
            self.server.brasa_load("create", "--seconds", 1, "--warm-up", 0, "--connections", 1,
                                   "--in-flight", 1, "--collection", "first")
            self.server.apply_indexes(pathlib.Path(__file__).with_name("firestore.indexes.json"))
            print(f"filling {self.options.documents} products", flush=True)
            self.server.fill(self.options.documents)
            self.server.settle()
        finally:
            self.server.stop()
        filled.write_text(str(self.options.documents))

    def measure_server(self):
        documents, seconds = self.options.documents, self.options.seconds
        self.server.start()
        try:
            for measure, arguments in (
                ("get", ("get", "--documents", documents)),
                ("seed query", ("query", "--documents", documents, "--connections", 16, "--in-flight", 4)),
                ("create", ("create", "--connections", 16, "--in-flight", 4, "--collection", "others")),
            ):
                rate, report = self.server.brasa_load(*arguments, "--seconds", seconds, "--warm-up", WARM_UP_SECONDS)
                self.add(measure, "Brasa", rate)
            self.server.settle()
        finally:
            self.server.stop()
        keys = re.search(r"groups: .* (\d+) keys each", report)
        self.group = max(1, int(keys[1]) // KEYS_OF_A_PRODUCT) if keys else 1

    def measure_alone(self):
        for threads in (1, 2):
            for measure, command in (("get", "raw-get"), ("seed query", "raw-query")):
                rate = self.alone(command, "--data", self.directory / "brasa-data", "--threads", threads,
                                  "--documents", self.options.documents, "--seconds", self.options.seconds,
                                  "--warm-up", WARM_UP_SECONDS)
                self.add(measure, f"RocksDB, threads: {threads}", rate)
        copy = self.directory / "copy"
        # Tables never change, so links do for copies; whatever the library writes is a new file.
        shutil.copytree(self.directory / "brasa-data" / "store", copy, copy_function=os.link)
        try:
            rate = self.alone("raw", "--existing", "--directory", copy, "--group", self.group,
                              "--documents", 500_000, "--seconds", self.options.seconds,
                              "--warm-up", WARM_UP_SECONDS)
            print(f"  groups of {self.group}")
            self.add("create", "RocksDB, groups as large", rate)
        finally:
            shutil.rmtree(copy)

    def alone(self, command, *arguments):
        """Runs a measure of RocksDB alone; gives its figure for throughput."""
        cache = self.options.cache // ENGINE_SHARE
        parts = [self.options.programs / "brasa-load", command, *arguments, "--cache", cache]
        done = subprocess.run([str(part) for part in parts], capture_output=True, text=True, timeout=3600)
        rate = re.search(r"^throughput: ([\d.]+)/s", done.stdout, re.MULTILINE)
        if done.returncode or not rate:
            raise RuntimeError(f"{parts}\n{done.stdout}{done.stderr}")
        return float(rate[1])

    def add(self, measure, who, rate):
        print(f"  {measure}: {who} {rate:,.0f}/s", flush=True)
        self.figures.setdefault(measure, {}).setdefault(who, []).append(rate)

    def table(self):
        lines = ["| Measure | Brasa | beside it | ratio |", "|---|---|---|---|"]
        for measure, rates in self.figures.items():
            own = statistics.median(rates["Brasa"])
            for who, others in rates.items():
                if who != "Brasa":
                    other = statistics.median(others)
                    lines.append(f"| {measure} | {own:,.0f}/s | {who} {other:,.0f}/s | {own / other:.2f} |")
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="where brasa and brasa-load are")
    parser.add_argument("--documents", type=int, default=6_000_000, help="products; 6,000,000 are 2 GB")
    parser.add_argument("--cache", type=int, default=128, help="the server's cache in megabytes")
    parser.add_argument("--seconds", type=int, default=5, help="seconds a measure")
    parser.add_argument("--turns", type=int, default=3, help="how often each is measured")
    parser.add_argument("--data", type=pathlib.Path, help="a directory to keep")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    if options.data:
        options.data.mkdir(exist_ok=True)
        print(Comparison(options, options.data.resolve()).run())
        return
    with tempfile.TemporaryDirectory() as directory:
        print(Comparison(options, pathlib.Path(directory)).run())


if __name__ == "__main__":
    main()

"""What backup, restore and a week of history cost, in one run.

    BRASA_BINARY=.build/release/brasa .venv/bin/python Benchmarks/backup.py
    BRASA_BINARY=.build/debug/brasa .venv/bin/python Benchmarks/backup.py --quick     (a minute or two: shows that it works)

Prints a Markdown table. `brasa-load` must be beside the program. Everything, load clients included, runs on this machine;
nothing else should. Rates are taken in turns, `--runs` of each; the median counts. `--only` names rows to measure. The
target of the backup is a directory of the same disk. Standard library only.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import peers

IN_FLIGHT = ("--connections", 16, "--in-flight", 4)


class Server(peers.Brasa):
    """A development server, with a backup to a directory beside its data where that is wanted."""

    target = None

    def command(self):
        flags = ["--backup", self.target, "--backup-key", self.directory / "backup.key"] if self.target else []
        return [*super().command(), *flags]

    def start(self):
        key = self.directory / "backup.key"
        if not key.exists():
            key.write_text(subprocess.run([str(self.programs / "brasa"), "backup", "key"], check=True, capture_output=True, text=True).stdout)
        return super().start()

    @property
    def data(self):
        return self.directory / "brasa-data"

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
            found = re.search(rf"^{name} (\S+)$", answer.read().decode(), re.MULTILINE)
        return float(found[1]) if found else None

    def wait_for_backup(self):
        while self.metric("brasa_backup_lag_seconds") != 0 or not self.metric("brasa_backup_base_timestamp_seconds"):
            time.sleep(0.02)

    def send(self, verb, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", json.dumps(body or {}).encode(), method=verb,
            headers={"authorization": "Bearer owner", "content-type": "application/json"},
        )
        return json.load(urllib.request.urlopen(request, timeout=60))

    def restore(self, target, to):
        command = [self.programs / "brasa", "restore", "--from", target, "--to", to, "--backup-key", self.directory / "backup.key"]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        return done.stdout


class Memory:
    """The most that a process has resident while the block runs, in megabytes; and that before it."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        self.before = self.most = self.server.resident_megabytes()
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def _watch(self):
        while not self.ends.wait(0.05):
            self.most = max(self.most, self.server.resident_megabytes() or 0)

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    @property
    def more(self):
        return self.most - self.before


class Benchmark:
    """The rows of the table, each measured on data directories of its own."""

    def __init__(self, options, directory):
        self.options, self.directory = options, directory
        self.rows = []
        self.made = 0

    def row(self, measure, ask, figure, conditions=""):
        self.rows.append((measure, ask, figure, conditions))
        print(f"{measure}: {figure}", flush=True)

    def server(self, backup=False):
        self.made += 1
        folder = self.directory / f"server-{self.made}"
        folder.mkdir()
        server = Server(self.options.programs, folder)
        server.target = folder / "target" if backup else None
        return server

    # The rows.

    def creates(self):
        """Creates with and without a backup, in turn; the backup's lag and memory under that load."""
        rates = {True: [], False: []}
        resident = {True: [], False: []}
        lags, delays = [], []
        for _ in range(self.options.runs):
            for backup in (False, True):
                server = self.server(backup)
                server.start()
                try:
                    if backup:
                        server.wait_for_backup()
                    ends = threading.Event()
                    watcher = threading.Thread(target=self.watch_lag, args=(server, ends, lags), daemon=True)
                    if backup:
                        watcher.start()
                    with Memory(server) as memory:
                        rate, _ = server.brasa_load("create", "--seconds", self.options.seconds, *IN_FLIGHT)
                    ends.set()
                    rates[backup].append(rate)
                    resident[backup].append(memory.most)
                    if backup:
                        delays.append(server.metric("brasa_backup_delay_p99_seconds"))
                finally:
                    server.stop()
                    shutil.rmtree(server.directory)
        with_backup, without = (statistics.median(rates[one]) for one in (True, False))
        self.row("creates, 64 in flight, with backup of without", ">= 0.95", f"{with_backup / without:.3f}",
                 f"{with_backup:.0f}/s of {without:.0f}/s, {self.options.runs} runs of {self.options.seconds} s in turn")
        lags.sort()
        seen = f"seen {len(lags)} times: p50 {lags[len(lags) // 2]:.3f} s, most {lags[-1]:.3f} s" if lags else ""
        self.row("backup lag under that load, p99", "1 s", f"{max(delays):.3f} s",
                 f"from a group's being durable to its being in the target, by the server's own metric; the lag was {seen}")
        self.row("memory of the backup", "64 MB", f"{statistics.median(resident[True]) - statistics.median(resident[False]):.0f} MB",
                 "VmRSS at most during those runs, with backup less without, medians")

    def watch_lag(self, server, ends, lags):
        while not ends.wait(0.1):
            try:
                lags.append(server.metric("brasa_backup_lag_seconds"))
            except OSError:
                return

    def loss(self):
        """The directory is deleted under load; the acknowledged documents that the restore lacks."""
        server = self.server(backup=True)
        server.start()
        server.wait_for_backup()
        acknowledged, lags = {}, []
        lock = threading.Lock()
        ends = threading.Event()

        def write(worker):
            number = 0
            while not ends.is_set():
                name = f"{worker}-{number}"
                try:
                    server.send("PATCH", f"/v1/{peers.ROOT}/lost/{name}", {"fields": {"n": {"integerValue": "1"}}})
                except OSError:
                    return
                with lock:
                    acknowledged[name] = time.monotonic()
                number += 1

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for worker in range(16):
                pool.submit(write, worker)
            watcher = threading.Thread(target=self.watch_lag, args=(server, ends, lags), daemon=True)
            watcher.start()
            time.sleep(self.options.seconds)
            server.kill()
            killed = time.monotonic()
            ends.set()
        shutil.rmtree(server.data)
        to = server.directory / "brasa-data"
        server.restore(server.target, to)
        server.target = None
        server.start()
        found, token = set(), ""
        while True:
            page = json.load(urllib.request.urlopen(
                f"http://127.0.0.1:{server.port}/v1/{peers.ROOT}/lost?pageSize=5000&mask.fieldPaths=n&pageToken={token}", timeout=60))
            found |= {one["name"].rsplit("/", 1)[1] for one in page.get("documents", [])}
            token = page.get("nextPageToken", "")
            if not token:
                break
        server.stop()
        lost = [killed - acknowledged[name] for name in acknowledged.keys() - found]
        self.row("data lost when the directory is deleted under load", "<= lag", f"the last {max(lost, default=0):.3f} s",
                 f"{len(lost)} of {len(acknowledged)} acknowledged documents, 16 writers from Python; the lag was at most {max(lags, default=0):.3f} s, "
                 f"{lags[-1] if lags else 0:.3f} s when it was last seen before the kill")
        shutil.rmtree(server.directory)

    def restore(self):
        """A restore of a filled directory: what `brasa restore` says, and the time that the whole command takes."""
        for name, from_base in (("from a base snapshot", True), ("from segments", False)):
            server = self.server(backup=not from_base)
            server.start()
            if not from_base:
                server.wait_for_backup()
            server.fill(self.options.documents)
            if from_base:
                server.stop()
                server.target = server.directory / "target"
                server.start()
            server.wait_for_backup()
            server.stop()
            begun = time.monotonic()
            said = server.restore(server.target, server.directory / "restored")
            whole = time.monotonic() - begun
            megabytes, seconds = map(float, re.search(r"([\d.]+) MB in ([\d.]+) s", said).groups())
            seconds = max(seconds, 0.05)
            self.row(f"restore {name}", ">= 60 MB/s, 100,000 documents/s",
                     f"{megabytes / seconds:.0f} MB/s, {self.options.documents / seconds:.0f} documents/s",
                     f"{self.options.documents} documents, {megabytes:.0f} MB in {seconds:.1f} s, before brasa verify; {whole:.1f} s with it")
            shutil.rmtree(server.directory)

    def snapshot(self):
        """Gets at a steady rate while a base snapshot of a filled directory is made, and without one."""
        server = self.server()
        server.start()
        server.fill(self.options.snapshot_documents)
        server.stop()
        size = sum(path.stat().st_size for path in server.data.rglob("*") if path.is_file()) / 1e9
        gets = ("get", "--documents", self.options.snapshot_documents, "--rate", self.options.get_rate, *IN_FLIGHT)
        quiet, beside, took, more = [], [], [], []
        for _ in range(self.options.runs):
            server.target = None
            server.start()
            _, report = server.brasa_load(*gets, "--seconds", self.options.seconds)
            with Memory(server) as memory:
                server.brasa_load(*gets, "--seconds", self.options.seconds, "--warm-up", 0)
            plain = memory.most
            quiet.append(self.p99(report))
            server.stop()
            # A new target gets a base snapshot at once.
            server.target = server.directory / f"target-{len(beside)}"
            (server.data / "backup-id").unlink(missing_ok=True)
            begun = time.monotonic()
            server.start()
            with Memory(server) as memory:
                while True:
                    _, report = server.brasa_load(*gets, "--seconds", 2, "--warm-up", 0)
                    beside.append(self.p99(report))
                    if server.metric("brasa_backup_base_timestamp_seconds"):
                        break
            took.append(time.monotonic() - begun)
            more.append(memory.most - plain)
            server.stop()
            shutil.rmtree(server.target)
        ratio = statistics.median(beside) / statistics.median(quiet)
        self.row("base snapshot beside load: p99 of gets", "<= 2 x", f"{ratio:.2f} x",
                 f"{statistics.median(beside):.2f} ms of {statistics.median(quiet):.2f} ms at {self.options.get_rate} gets/s; {size:.2f} GB, "
                 f"snapshots took up to {max(took):.1f} s (rounded up to 2 s)")
        self.row("memory of a base snapshot", "64 MB", f"{max(more):.0f} MB", "VmRSS at most, less that under the same gets without a backup")
        shutil.rmtree(server.directory)

    def history(self):
        """A week of history beside an hour: creates, updates and gets, in turn."""
        measures = {"creates": [[], []], "updates": [[], []], "gets": [[], []]}
        for _ in range(self.options.runs):
            for week in (False, True):
                server = self.server()
                server.start()
                documents = self.options.documents // 4
                server.post_one()
                if week:
                    server.send("PATCH", "/v1/projects/load/databases/(default)?updateMask=pointInTimeRecoveryEnablement",
                                {"pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_ENABLED"})
                server.fill(documents)
                arguments = ("--seconds", self.options.seconds, *IN_FLIGHT)
                measures["creates"][week].append(server.brasa_load("create", "--collection", "new", *arguments)[0])
                measures["updates"][week].append(server.brasa_load("fill", "--documents", documents, "--batch", 1, *IN_FLIGHT)[0])
                measures["gets"][week].append(server.brasa_load("get", "--documents", documents, *arguments)[0])
                server.stop()
                shutil.rmtree(server.directory)
        for name, (hour, week) in measures.items():
            hour, week = statistics.median(hour), statistics.median(week)
            self.row(f"7 days of history, {name}, of one hour's", ">= 0.95", f"{week / hour:.3f}",
                     f"{week:.0f}/s of {hour:.0f}/s, medians of {self.options.runs} in turn; nothing is old enough to be swept in either")

    @staticmethod
    def p99(report):
        return float(re.search(r"p99 ([\d.]+) ms", report)[1])

    ROWS = ("creates", "loss", "restore", "snapshot", "history")

    def run(self, only):
        for name in self.ROWS:
            if not only or name in only:
                print(f"-- {name}", flush=True)
                getattr(self, name)()

    def table(self):
        lines = ["| Measure | Ask | Figure | Conditions |", "|---|---|---|---|"]
        return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in self.rows])


def fsync_milliseconds(directory):
    times = []
    with open(directory / "probe", "wb") as file:
        for _ in range(200):
            file.write(os.urandom(4096))
            file.flush()
            begun = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1_000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="everything small and short, to see that it works")
    parser.add_argument("--only", action="append", choices=Benchmark.ROWS, help="a row to measure; may be repeated")
    parser.add_argument("--runs", type=int, help="turns of each rate (3)")
    parser.add_argument("--seconds", type=int, help="seconds of each rate (20)")
    parser.add_argument("--documents", type=int, help="documents of a restore (1,000,000)")
    parser.add_argument("--snapshot-documents", type=int, help="documents below a base snapshot (1,000,000, about a gigabyte)")
    parser.add_argument("--get-rate", type=int, help="gets a second beside a snapshot (2,000)")
    parser.add_argument("--directory", type=pathlib.Path, help="a directory of the disk to measure")
    options = parser.parse_args()
    usual = (1, 2, 4_000, 4_000, 200) if options.quick else (3, 20, 1_000_000, 1_000_000, 2_000)
    for name, value in zip(("runs", "seconds", "documents", "snapshot_documents", "get_rate"), usual):
        if getattr(options, name) is None:
            setattr(options, name, value)
    binary = os.environ.get("BRASA_BINARY")
    if not binary or not pathlib.Path(binary).with_name("brasa-load").exists():
        sys.exit("Set BRASA_BINARY to a built program that has brasa-load beside it: swift build -c release --product brasa-load")
    options.programs = pathlib.Path(binary).absolute().parent
    directory = pathlib.Path(tempfile.mkdtemp(prefix="brasa-backup-", dir=options.directory))
    try:
        print(f"{os.cpu_count()} cores; an fsync of 4 KB takes {fsync_milliseconds(directory):.2f} ms; {binary}", flush=True)
        benchmark = Benchmark(options, directory)
        benchmark.run(options.only)
        print("\n" + benchmark.table())
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()

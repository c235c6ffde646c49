"""Functions and events: the figures of one server, its functions and an address on this machine.

    Benchmarks/run-functions                  (builds the release, installs Google's SDK for Python)
    python Benchmarks/functions.py --program .build/release/brasa
    ... --quick                               (a minute: shows that it works, measures nothing)

Commits go over HTTP/1.1 with one connection a writer. The function is a program without packages that sends the time of its
call to this process; `--python` adds a function of Google's SDK that does nothing. Times are of one clock.
"""

import argparse
import http.client
import http.server
import json
import os
import pathlib
import platform
import shutil
import statistics
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "Clients"))

from support import events, programs, server as servers  # noqa: E402

PROJECT = "shop"
WRITTEN = programs.WRITTEN
PYTHON = """from firebase_functions import firestore_fn, options
options.set_global_options(max_instances=4, concurrency=80)
@firestore_fn.on_document_written(document="python/{d}")
def nothing(event): pass
"""
HOSTILE = """import os, subprocess, time
from firebase_functions import https_fn
@https_fn.on_request()
def never(request): time.sleep(1000)
@https_fn.on_request()
def loud(request):
    while True: print("x" * 4095)
@https_fn.on_request(memory=256)
def hungry(request):
    held = []
    while True: held.append(bytearray(os.urandom(1 << 20)))
@https_fn.on_request()
def forks(request):
    while True: subprocess.Popen(["sleep", "1000"])
"""


class Writer:
    """One connection that sets documents of one field."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def set(self, path, number):
        body = json.dumps({"fields": {"n": {"integerValue": str(number)}, "text": {"stringValue": "x" * 200}}})
        url = f"/v1/projects/{PROJECT}/databases/(default)/documents/{path}"
        self.connection.request("PATCH", url, body, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text
        return time.time()


def percentiles(values):
    values = sorted(values)
    return {"p50": statistics.median(values), "p99": values[min(len(values) - 1, int(len(values) * 0.99))]}


def each(count, lanes, work):
    """Runs `work(lane, number)` that often in threads; gives the seconds."""
    begun = time.monotonic()
    threads = [
        threading.Thread(target=lambda lane=lane: [work(lane, number) for number in range(lane, count, lanes)])
        for lane in range(lanes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - begun


class Arrivals(events.Receiver):
    """Notes when each document's event came; `gate` holds deliveries."""

    def __init__(self):
        self.times, self.gate = {}, threading.Event()
        self.gate.set()

        def decide(request):
            now = time.time()
            self.gate.wait(600)
            document = request.headers.get("ce-document") or json.loads(request.body)["document"]
            self.times.setdefault(document, now)
            return 204

        super().__init__(decide, keeps=False)

    def wait_for(self, count, seconds=600):
        servers.wait_for(lambda: len(self.times) >= count, f"{count} events", seconds)


def latency(server, arrivals, count):
    """From the response to a commit to the arrival at a function that is warm, in milliseconds."""
    writer, sent = Writer(server), {}
    for number in range(count + 20):
        path = f"latency/{number}"
        sent[path] = writer.set(path, number)
        servers.wait_for(lambda: path in arrivals.times, path)
    late = [(arrivals.times[path] - sent[path]) * 1_000 for path in list(sent)[20:]]
    return {name: f"{value:.1f} ms" for name, value in percentiles(late).items()}


def drain(server, arrivals, collection, count):
    """Events a second while commits of 8 writers go on, and behind them."""
    arrivals.times.clear()
    lanes = [Writer(server) for _ in range(8)]
    begun = time.monotonic()
    writing = each(count, 8, lambda lane, number: lanes[lane].set(f"{collection}/{number}", number))
    arrivals.wait_for(count)
    return {"commits a second": f"{count / writing:.0f}", "events a second": f"{count / (time.monotonic() - begun):.0f}"}


def python_drain(server, count):
    """Events a second to a function of Google's SDK that does nothing."""
    lanes = [Writer(server) for _ in range(8)]

    def delivered():
        line = next(line for line in server.metrics if line.startswith("brasa_events_delivered_total"))
        return float(line.split()[-1])

    lanes[0].set("python/warm", 0)
    servers.wait_for(lambda: delivered() > 0, "the first call", 120)
    before, begun = delivered(), time.monotonic()
    each(count, 8, lambda lane, number: lanes[lane].set(f"python/{number}", number))
    servers.wait_for(lambda: delivered() >= before + count, "all calls", 600)
    return {"events a second": f"{count / (time.monotonic() - begun):.0f}"}


def commits(server, collection, count):
    """Commits a second of 8 writers."""
    lanes = [Writer(server) for _ in range(8)]
    return count / each(count, 8, lambda lane, number: lanes[lane].set(f"{collection}/{number}", number))


def cost(server, subscribe, arrivals, count, runs):
    """Commits without a trigger, beside those that match none and those that match one, in turn."""
    figures = {"without": [], "beside": [], "matching": []}
    for run in range(runs):
        events.command(server, PROJECT, "unsubscribe", "all", check=False)
        figures["without"].append(commits(server, f"plain-{run}", count))
        subscribe()
        figures["beside"].append(commits(server, f"beside-{run}", count))
        # Deliveries are held, so that the cost is that of the outbox.
        arrivals.gate.clear()
        figures["matching"].append(commits(server, "url", count))
        arrivals.gate.set()
    median = {name: statistics.median(values) for name, values in figures.items()}
    return {
        "commits a second": f"{median['without']:.0f}",
        "a trigger that matches nothing": f"{(median['without'] / median['beside'] - 1) * 100:+.1f} %",
        "a trigger that matches": f"{(median['without'] / median['matching'] - 1) * 100:+.1f} %",
    }


def beside_hostile(server, count):
    """The server's own p99 of gets, alone and beside functions that never answer, flood, eat and fork."""
    lanes = [Writer(server) for _ in range(4)]
    lanes[0].set("plain/one", 1)
    url = f"/v1/projects/{PROJECT}/databases/(default)/documents/plain/one"

    def gets():
        times = []

        def get(lane, number):
            begun = time.monotonic()
            lanes[lane].connection.request("GET", url)
            lanes[lane].connection.getresponse().read()
            times.append((time.monotonic() - begun) * 1_000)

        each(count, 4, get)
        return percentiles(times)["p99"]

    alone = gets()
    stopped = threading.Event()

    def call(name):
        while not stopped.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
            try:
                connection.request("GET", f"/{PROJECT}/us-central1/{name}")
                connection.getresponse().read()
            except OSError:
                pass
            finally:
                connection.close()

    callers = [threading.Thread(target=call, args=(name,), daemon=True) for name in ("never", "loud", "hungry", "forks")]
    for caller in callers:
        caller.start()
    stopped.wait(5)
    beside = gets()
    stopped.set()
    return {"alone p99": f"{alone:.1f} ms", "beside them p99": f"{beside:.1f} ms", "ratio": f"{beside / alone:.2f}"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20_000, help="events of a measure")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--python", action="store_true", help="functions of Google's SDK too, whose packages are installed")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    count, runs = (500, 1) if options.quick else (options.count, options.runs)
    os.environ["BRASA_BINARY"] = str(options.program.resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="brasa-functions-"))
    arrivals = Arrivals()
    server = servers.Brasa(folder / "data", environment={"BRASA_FUNCTIONS": "true"}).start()
    print(f"{platform.platform()}, {os.cpu_count()} cores, {options.program}, {count} events a measure", flush=True)

    def show(what, figures):
        print(f"{what:45} " + ", ".join(f"{name} {value}" for name, value in figures.items()), flush=True)

    def subscribe():
        events.subscribe(server, PROJECT, arrivals, "all", "url/{d}", WRITTEN, "--timeout", "540")

    try:
        show("costs of commits, 8 writers", cost(server, subscribe, arrivals, count, runs))
        arrivals.wait_for(1)
        subscribe()
        show("to an address", drain(server, arrivals, "url", count))
        endpoint = programs.written("function/{d}")
        quick = programs.written("latency/{d}")
        source = programs.source(folder / "program", arrivals, "one", drained=endpoint, timed=quick)
        programs.deploy(server, source)
        show("from a commit to a warm function", latency(server, arrivals, min(count, 1_000)))
        show("to a program's function", drain(server, arrivals, "function", count))
        if options.python:
            for name, text in (("python", PYTHON), ("hostile", HOSTILE)):
                (folder / name).mkdir()
                (folder / name / "main.py").write_text(text)
                (folder / name / "requirements.txt").write_text("firebase-functions\n")
                programs.deploy(server, folder / name, PROJECT, "--codebase", name)
            show("to a function of Google's SDK for Python", python_drain(server, count))
            show("gets beside hostile functions", beside_hostile(server, count))
    finally:
        server.kill()
        arrivals.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

"""Functions and events: the figures of one server, its functions and an address on this machine.

    Benchmarks/run-functions                      (builds the release, installs Google's SDK for Python)
    Benchmarks/run-functions --program PATH/brasa (measures that program and builds nothing)
    ... --quick                                   (a minute: shows that it works, measures nothing)

Commits go over HTTP/1.1 with one connection a writer. The function is a program without packages that sends the time of its
call to this process; `--python` adds a function of Google's SDK that does nothing. Times are of one clock. Behind a figure
is what is asked of it, and the part of that which it took.
"""

import argparse
import asyncio
import http.client
import http.server
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
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


class Figure:
    """A measured value, and what is asked of it: at most or at least so much."""

    def __init__(self, name, value, unit="", most=None, least=None, digits=1):
        self.name, self.value, self.unit, self.most, self.least, self.digits = name, value, unit, most, least, digits

    def __str__(self):
        def text(value, digits=0):
            return f"{value:,.{digits}f}{self.unit and ' ' + self.unit}"

        shown = f"{self.name} {text(self.value, self.digits)}"
        if self.most is not None:
            return f"{shown} (at most {text(self.most)}: {self.value / self.most:.2f} of it)"
        if self.least is not None:
            return f"{shown} (at least {text(self.least)}: {self.value / self.least:.2f} of it)"
        return shown


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


    def fill(self, prefix, count):
        """Sets that many documents whose names begin so, in commits of 500, so that writing takes little of the machine."""
        root = f"projects/{PROJECT}/databases/(default)/documents"
        for start in range(0, count, 500):
            writes = [
                {"update": {"name": f"{root}/{prefix}{number}", "fields": {
                    "n": {"integerValue": str(number)}, "text": {"stringValue": "x" * 200}}}}
                for number in range(start, min(count, start + 500))
            ]
            self.connection.request("POST", f"/v1/{root}:commit", json.dumps({"writes": writes}), {"Content-Type": "application/json"})
            answer = self.connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text


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


class Sink:
    """An address in a process of its own that only counts, since a receiver in threads would be measured itself."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--sink"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/events"

    def ask(self, word):
        """hold, open or count; gives the number of requests that were responded to."""
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def wait_for(self, count, each_time=lambda: None, seconds=3_600):
        def is_there():
            each_time()
            return self.ask("count") >= count

        servers.wait_for(is_there, f"{count} events", seconds)

    def close(self):
        self.process.kill()
        self.process.wait()


def serve_sink():
    """The process of a sink."""
    open_, held, count = [True], [], [0]

    class Connection(asyncio.Protocol):
        def connection_made(self, transport):
            self.transport, self.buffer = transport, b""

        def data_received(self, data):
            self.buffer += data
            while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
                head = self.buffer[:end].lower()
                place = head.find(b"\r\ncontent-length:")
                length = int(head[place + 17:].split(b"\r\n", 1)[0]) if place >= 0 else 0
                if len(self.buffer) < end + 4 + length:
                    return
                self.buffer = self.buffer[end + 4 + length:]
                if open_[0]:
                    respond(self.transport)
                else:
                    held.append(self.transport)

    def respond(transport):
        count[0] += 1
        transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    def obey(word):
        open_[0] = word == "open" or open_[0] and word != "hold"
        while open_[0] and held:
            respond(held.pop())
        print(count[0], flush=True)

    async def run():
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=1_024)
        print(server.sockets[0].getsockname()[1], flush=True)

        def read():
            for line in sys.stdin:
                loop.call_soon_threadsafe(obey, line.strip())
            loop.call_soon_threadsafe(server.close)

        threading.Thread(target=read, daemon=True).start()
        await server.wait_closed()

    asyncio.run(run())


def latency(server, arrivals, count):
    """From the response to a commit to the arrival at a function that is warm."""
    writer, sent = Writer(server), {}
    for number in range(count + 20):
        path = f"latency/{number}"
        sent[path] = writer.set(path, number)
        servers.wait_for(lambda: path in arrivals.times, path)
    late = percentiles([(arrivals.times[path] - sent[path]) * 1_000 for path in list(sent)[20:]])
    return [Figure("p50", late["p50"], "ms", most=5), Figure("p99", late["p99"], "ms", most=20)]


def backlog(server, sink, prefix, count):
    """Events a second to an address, and the memory that the server takes more, once all of them wait."""
    before = sink.ask("hold")
    Writer(server).fill(prefix, count)
    memory, begun = resident(server), time.monotonic()
    most = [memory]
    sink.ask("open")
    sink.wait_for(before + count, lambda: most.append(max(most.pop(), resident(server))))
    return count / (time.monotonic() - begun), memory, (most[0] - memory) / (1 << 20)


def resident(server):
    """Bytes of the server's memory; 0 where the system has no /proc."""
    try:
        return int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return 0


def drain(server, arrivals, collection, count):
    """Events a second to the program's function, from the first commit on."""
    arrivals.times.clear()
    begun = time.monotonic()
    Writer(server).fill(f"{collection}/", count)
    arrivals.wait_for(count)
    return [Figure("events a second", count / (time.monotonic() - begun), digits=0)]


def python_drain(server, count):
    """Events a second to a function of Google's SDK that does nothing, from the first commit on."""
    writer = Writer(server)

    def delivered():
        line = next(line for line in server.metrics if line.startswith("brasa_events_delivered_total"))
        return float(line.split()[-1])

    before = delivered()
    writer.set("python/warm", 0)
    servers.wait_for(lambda: delivered() > before, "the first call", 120)
    before, begun = delivered(), time.monotonic()
    writer.fill("python/", count)
    servers.wait_for(lambda: delivered() >= before + count, "all calls", 3_600)
    return [Figure("events a second", count / (time.monotonic() - begun), least=2_000, digits=0)]


def commits(server, prefix, count):
    """Commits a second of 8 writers; the names of the documents begin with the prefix."""
    lanes = [Writer(server) for _ in range(8)]
    return count / each(count, 8, lambda lane, number: lanes[lane].set(f"{prefix}{number}", number))


def cost(server, subscribe, arrivals, count, runs):
    """Commits without a trigger, beside those that match none and those that match one, in turn."""
    figures = {"without": [], "beside": [], "matching": []}
    for run in range(runs):
        events.command(server, PROJECT, "unsubscribe", "all", check=False)
        servers.wait_for(lambda: "url/" not in events.command(server, PROJECT, "list").stdout, "an empty queue", 600)
        figures["without"].append(commits(server, f"plain-{run}/", count))
        subscribe()
        figures["beside"].append(commits(server, f"beside-{run}/", count))
        # Deliveries are held, so that the cost is that of the outbox.
        arrivals.gate.clear()
        figures["matching"].append(commits(server, f"url/{run}-", count))
        arrivals.gate.set()
    median = {name: statistics.median(values) for name, values in figures.items()}

    def more(name):
        return (median["without"] / median[name] - 1) * 100

    return [
        Figure("commits a second", median["without"], digits=0),
        Figure("a trigger that matches nothing", more("beside"), "%", most=1),
        Figure("a trigger that matches", more("matching"), "%", most=15),
    ]


def beside_hostile(server, count, runs):
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

    alone = statistics.median(gets() for _ in range(runs))
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
    beside = statistics.median(gets() for _ in range(runs))
    stopped.set()
    return [
        Figure("alone p99", alone, "ms"), Figure("beside them p99", beside, "ms"),
        Figure("ratio", beside / alone, most=2, digits=2),
    ]


def main():
    if sys.argv[1:] == ["--sink"]:
        return serve_sink()
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20_000, help="events of a measure")
    parser.add_argument("--backlog", type=int, default=1_000_000, help="events that wait before they are delivered")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--python", action="store_true", help="functions of Google's SDK too, whose packages are installed")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    count, runs, waiting = (500, 1, 2_000) if options.quick else (options.count, options.runs, options.backlog)
    os.environ["BRASA_BINARY"] = str(options.program.resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="brasa-functions-"))
    arrivals, sink = Arrivals(), Sink()
    server = servers.Brasa(folder / "data", environment={"BRASA_FUNCTIONS": "true"}).start()
    version = servers.run("--version").stdout.strip()
    print(f"{platform.platform()}, {os.cpu_count()} cores, {options.program} ({version})", flush=True)
    print(f"{count} events a measure, {runs} runs, a backlog of {waiting}", flush=True)

    def show(what, figures):
        print(f"{what:45} " + ", ".join(map(str, figures)), flush=True)

    def subscribe(receiver=arrivals, pattern="url/{d}"):
        events.command(server, PROJECT, "unsubscribe", "all", check=False)
        events.subscribe(server, PROJECT, receiver, "all", pattern, WRITTEN, "--timeout", "540", "--retry")

    try:
        show("costs of commits, 8 writers", cost(server, subscribe, arrivals, count, runs))
        arrivals.wait_for(1)
        subscribe(sink, "waiting/{d}")
        rate, _, _ = backlog(server, sink, "waiting/a-", count)
        show("to an address", [Figure("events a second", rate, least=5_000, digits=0)])
        rate, held, more = backlog(server, sink, "waiting/b-", waiting)
        show(f"a backlog of {waiting} events", [
            Figure("memory with it", held / (1 << 20), "MB", digits=0), Figure("more while it drains", more, "MB", most=64),
            Figure("events a second", rate, digits=0),
        ])
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
            show("gets beside hostile functions", beside_hostile(server, count, runs))
        print("1,000 kills with a ledger are a slow test: Tests/Clients/test_functions_faults.py", flush=True)
    finally:
        server.kill()
        arrivals.close()
        sink.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

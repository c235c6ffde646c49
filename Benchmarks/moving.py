"""What moving in costs: imports, migrations, deployments, hosted pages beside nginx, rewrites to functions.

    Benchmarks/run-moving                     (builds the release)
    python3 Benchmarks/moving.py --programs .build/release
    ... --quick                               (a minute: shows that it works, measures nothing)

Builds nothing. Prints a Markdown table; the last column is the measure beside what is asked of it, where 1.00 or more is
enough. Servers, commands and clients run on this machine; nothing else should. The memory of a command is the greatest
resident size of its process. nginx is left out, with a line that says so, where it is not installed (`--nginx PATH`
names one that is not on the path). Standard library only.
"""

import argparse
import contextlib
import gzip
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = os.urandom(20_480)
TEXT = "".join(f"<p class=product-{number * 7919 % 1009}>Product {number * 104729 % 65537}</p>\n" for number in range(500)).encode()[:20_480]
# What issue 35 asks for.
IMPORTED, IMPORT_MEMORY, MIGRATED, OF_NGINX, REWRITE = 50_000, 64, 20_000, 0.85, 2.0


def enough(value, asked, unit=""):
    """A value beside what is asked: 1.00 is just enough."""
    return f"{value / asked:.2f} of {asked:,g}{unit}"


def environment():
    """Ours, without settings of other servers."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("BRASA_", "FIREBASE_", "GOOGLE_"))}


class Server:
    """A development server on a directory of its own."""

    def __init__(self, program, data, *flags):
        self.program, self.data = program, data
        self.process = subprocess.Popen(
            [program, "serve", "--dev", "--port", "0", "--data", data, *flags], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment(),
        )
        for line in self.process.stdout:
            if found := re.search(r"listening address=\S+ port=(\d+)", line):
                self.port = int(found.group(1))
                break
        else:
            raise SystemExit("the server did not start")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def close(self):
        self.process.terminate()
        self.process.wait()

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"


def run(*arguments):
    """Runs a command; returns its seconds, its greatest resident size in MiB, and its lines with the seconds of each."""
    started = time.monotonic()
    process = subprocess.Popen([str(part) for part in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
    written = [(time.monotonic() - started, line.decode().rstrip()) for line in process.stdout]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))}:\n" + "\n".join(line for _, line in written))
    return time.monotonic() - started, usage.ru_maxrss / 1024, written


def lines(folder, count):
    """An export of ours with documents of some 400 bytes."""
    folder.mkdir()
    with open(folder / "products.jsonl", "w", encoding="utf-8") as file:
        for number in range(count):
            fields = {
                "name": {"stringValue": f"Product {number}"}, "price": {"doubleValue": number / 100}, "stock": {"integerValue": str(number % 50)},
                "tags": {"arrayValue": {"values": [{"stringValue": f"tag-{number % 7}"}, {"stringValue": "all"}]}},
                "text": {"stringValue": "a plain sentence about the product, " * 6},
            }
            name = f"projects/load/databases/(default)/documents/products/{number:09}"
            file.write(json.dumps({"name": name, "fields": fields}) + "\n")


def moving(program, work, count):
    """Rows of imports and migrations."""
    source = Server(program, work / "source")
    lines(work / "lines", count)
    run(program, "import", work / "lines", "--project", "load", "--data", source.data)
    run(program, "export", work / "managed", "--format", "managed", "--project", "load", "--data", source.data)
    target = Server(program, work / "target")
    seconds, memory, _ = run(program, "import", work / "managed", "--project", "load", "--data", target.data)
    yield f"import of a managed export, {count:,} documents", f"{count / seconds:,.0f} documents/s", enough(count / seconds, IMPORTED, "/s")
    yield "memory of that import's process", f"{memory:.0f} MiB", f"{IMPORT_MEMORY / memory:.2f}; {IMPORT_MEMORY} MiB are allowed"
    seconds, memory, written = run(
        program, "migrate", "firebase", "--origin", source.origin, "--source-project", "load", "--project", "moved", "--data", target.data,
        "--plan", work / "plan.json", "--exclude", "files",
    )
    copied = next(at for at, line in written if re.search(r"documents: [\d,]+ read", line))
    yield f"migration, {count:,} documents", f"{count / copied:,.0f} documents/s", enough(count / copied, MIGRATED, "/s")
    yield "migration with its comparison", f"{count / seconds:,.0f} documents/s", f"{memory:.0f} MiB"
    source.close()
    target.close()


def deployment(program, work, count, changed):
    """Rows of a deployment of many files, and of the next one with few changes."""
    site = work / "many"
    for number in range(count):
        file = site / "public" / f"{number % 97}" / f"{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"file {number} " * 300)
    (site / "firebase.json").write_text(json.dumps({"hosting": {"public": "public"}}))
    server = Server(program, work / "deployed")
    words = ["hosting", "deploy", "--config", site / "firebase.json", "--project", "load", "--data", server.data]
    for name, wanted in (("first deployment", count), ("next deployment", changed)):
        if name.startswith("next"):
            for number in range(changed):
                (site / "public" / f"{number % 97}" / f"{number}.txt").write_text(f"changed {number} " * 300)
        seconds, _, written = run(program, *words)
        uploaded = next(int(found[1].replace(",", "")) for _, line in written if (found := re.search(r"uploaded ([\d,]+) file", line)))
        yield f"{name} of {count:,} files, {wanted:,} of them new", f"{seconds:.2f} s, {uploaded:,} uploaded", f"{uploaded / wanted:.2f} of the new files"
    server.close()


def request(target, host, packed=False):
    """The bytes of a GET."""
    accepted = "gzip, deflate, br" if packed else "identity"
    return f"GET {target} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: {accepted}\r\n\r\n".encode()


def whole(connection, message):
    """Sends a request and reads its response; returns the length and the seconds until its first byte."""
    started = time.perf_counter()
    connection.sendall(message)
    answer = connection.recv(1 << 18)
    first = time.perf_counter() - started
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(1 << 18)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    sized = re.search(rb"(?i)content-length: (\d+)", head)
    if sized is None:
        # In parts, of which the last is empty.
        while not body.endswith(b"0\r\n\r\n"):
            body += connection.recv(1 << 18)
        return len(head) + 4 + len(body), first
    missing = int(sized[1]) - len(body)
    length = len(answer) + missing
    while missing > 0:
        missing -= len(connection.recv(1 << 18))
    return length, first


def ask(port, message, seconds, results):
    """One connection's GETs for some seconds; responses have the length of the first."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    whole(connection, message)
    length, _ = whole(connection, message)
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        connection.sendall(message)
        missing = length
        while missing > 0:
            missing -= len(connection.recv(1 << 18))
        count += 1
    results.put(count)


def processor(pid):
    """The seconds of processor that a process and its children have used."""
    ticks = 0
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()
    for one in [str(pid), *children]:
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def rate(port, message, pid, seconds, connections):
    """Pages a second over several connections, each of a process, and pages a second of the server's processor."""
    results = multiprocessing.Queue()
    clients = [multiprocessing.Process(target=ask, args=(port, message, seconds, results), daemon=True) for _ in range(connections)]
    before = processor(pid)
    for client in clients:
        client.start()
    total = sum(results.get(timeout=seconds + 60) for _ in clients)
    for client in clients:
        client.join()
    return total / seconds, total / max(processor(pid) - before, 0.01)


@contextlib.contextmanager
def nginx(program, folder, work):
    """nginx with one worker a core: its port and process, or None."""
    program = program or shutil.which("nginx") or ("/usr/sbin/nginx" if os.path.exists("/usr/sbin/nginx") else None)
    if program is None:
        yield None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    place = work / "nginx"
    place.mkdir()
    temporary = "".join(f"{kind}_temp_path {place}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    # Its workers have no rights to a temporary folder where they are another user.
    user = "user root;" if os.getuid() == 0 else ""
    (place / "nginx.conf").write_text(
        f"daemon off; {user} pid {place}/pid; error_log {place}/error; worker_processes auto; events {{}} "
        f"http {{ access_log off; sendfile on; gzip_static on; types {{ text/html html; }} keepalive_requests 1000000; {temporary} "
        f"server {{ listen 127.0.0.1:{port}; root {folder}; }} }}"
    )
    process = subprocess.Popen([program, "-c", place / "nginx.conf", "-p", place], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def hosting(program, work, peer_program, seconds, connections):
    """Rows of hosted pages of 20 KB, taking turns with nginx."""
    site = work / "site"
    (site / "public").mkdir(parents=True)
    (site / "public/page.bin").write_bytes(PAGE)
    (site / "public/page.html").write_bytes(TEXT)
    (site / "firebase.json").write_text(json.dumps({"hosting": {"public": "public"}}))
    server = Server(program, work / "sites")
    run(program, "hosting", "deploy", "--config", site / "firebase.json", "--project", "load", "--data", server.data)
    # nginx serves what was packed before, too.
    (site / "public/page.html.gz").write_bytes(gzip.compress(TEXT))
    with nginx(peer_program, site / "public", work) as peer:
        for name, target, packed in (("page of 20 KB as it is", "/page.bin", False), ("page of 20 KB, packed", "/page.html", True)):
            ours, theirs = [], []
            for _ in range(3):
                ours.append(rate(server.port, request(target, f"load.localhost:{server.port}", packed), server.process.pid, seconds, connections))
                if peer:
                    theirs.append(rate(peer[0], request(target, "127.0.0.1", packed), peer[1], seconds, connections))
            own, own_processor = (statistics.median(values) for values in zip(*ours))
            name = f"{name}, {connections} connections"
            if peer:
                other, other_processor = (statistics.median(values) for values in zip(*theirs))
                yield name, f"{own:,.0f} pages/s", f"{own / other:.2f} of nginx ({other:,.0f} pages/s); {enough(own / other, OF_NGINX)}"
                beside = f"{own_processor / other_processor:.2f} of nginx ({other_processor:,.0f})"
                yield "the same for each second of the server's processor", f"{own_processor:,.0f} pages", beside
            else:
                yield name, f"{own:,.0f} pages/s", "nginx is not installed"
    server.close()


def rewrites(program, work, count):
    """Rows of the first byte of a function by its own address and by a site's rewrite, in turn."""
    site = work / "rewritten"
    (site / "public").mkdir(parents=True)
    (site / "public/index.html").write_text("home")
    rule = {"source": "/hello", "function": "hello"}
    (site / "firebase.json").write_text(json.dumps({"hosting": {"public": "public", "rewrites": [rule]}}))
    functions = work / "functions"
    functions.mkdir()
    shutil.copy(ROOT / "Tests/Clients/codebases/program/functions", functions)
    hello = {"httpsTrigger": {}, "entryPoint": "hello", "platform": "gcfv2"}
    manifest = {"specVersion": "v1alpha1", "endpoints": {"hello": hello}, "params": [], "requiredAPIs": []}
    (functions / "manifest.json").write_text(json.dumps(manifest))
    (functions / ".env").write_text("RELEASE=one\nLEDGER=http://127.0.0.1:1\n")
    server = Server(program, work / "calling", "--functions", "true")
    run(program, "functions", "deploy", functions, "--project", "load", "--data", server.data)
    run(program, "hosting", "deploy", "--config", site / "firebase.json", "--project", "load", "--data", server.data)
    messages = {
        "function": request("/load/us-central1/hello", f"127.0.0.1:{server.port}"), "rewrite": request("/hello", f"load.localhost:{server.port}"),
    }
    connections = {name: socket.create_connection(("127.0.0.1", server.port)) for name in messages}
    times = {name: [] for name in messages}
    for number in range(count + 20):
        for name, message in messages.items():
            _, first = whole(connections[name], message)
            if number >= 20:
                times[name].append(first * 1_000)
    direct, behind = (statistics.median(times[name]) for name in messages)
    yield "first byte of a function", f"{direct:.2f} ms", f"{count} calls, median"
    yield "first byte of a rewrite to it", f"{behind:.2f} ms", f"{behind - direct:+.2f} ms; {REWRITE:g} ms are allowed"
    server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of a built brasa")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["moving", "deployment", "hosting", "rewrites"])
    parser.add_argument("--documents", type=int, help="documents of imports and migrations (default: a million)")
    parser.add_argument("--nginx", help="the program nginx")
    options = parser.parse_args()
    program = (options.programs / "brasa").resolve()
    is_quick = options.quick
    count = options.documents or (2_000 if is_quick else 1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        parts = {
            "moving": lambda: moving(program, work, count),
            "deployment": lambda: deployment(program, work, 200 if is_quick else 5_000, 5),
            "hosting": lambda: hosting(program, work, options.nginx, 1 if is_quick else 10, 4),
            "rewrites": lambda: rewrites(program, work, 50 if is_quick else 2_000),
        }
        print("| Measure | Value | Beside what is asked |\n|---|---|---|", flush=True)
        for name, rows in parts.items():
            if options.only in (None, name):
                for row in rows():
                    print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()

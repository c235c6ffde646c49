"""What moving in costs: imports of a managed export, migrations, and pages of a hosted site beside nginx.

    Benchmarks/run-moving                     (builds the release)
    python3 Benchmarks/moving.py --programs .build/release
    ... --programs .build/debug --quick       (a minute: shows that it works, measures nothing)

Prints a Markdown table. Servers, commands and clients run on this machine; nothing else should. The memory of an import is
the greatest resident size of the command's process. nginx is left out and said so where it is not installed. Standard
library only.
"""

import argparse
import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

PAGE = os.urandom(20_480)


def environment():
    """Ours, without settings of other servers."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("BRASA_", "FIREBASE_", "GOOGLE_"))}


class Server:
    """A development server on a directory of its own."""

    def __init__(self, program, data):
        self.program, self.data = program, data
        self.process = subprocess.Popen(
            [program, "serve", "--dev", "--port", "0", "--data", data], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
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
    """Runs a command; returns its seconds and its greatest resident size in MiB."""
    started = time.monotonic()
    process = subprocess.Popen([str(part) for part in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))}:\n{output}")
    return time.monotonic() - started, usage.ru_maxrss / 1024


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
    seconds, memory = run(program, "import", work / "managed", "--project", "load", "--data", target.data)
    yield f"import of a managed export, {count:,} documents", f"{count / seconds:,.0f} documents/s", f"{memory:.0f} MiB"
    seconds, memory = run(
        program, "migrate", "firebase", "--origin", source.origin, "--source-project", "load", "--project", "moved", "--data", target.data,
        "--plan", work / "plan.json", "--exclude", "files",
    )
    yield f"migration and comparison, {count:,} documents", f"{count / seconds:,.0f} documents/s", f"{memory:.0f} MiB"
    source.close()
    target.close()


def ask(port, host, seconds, results):
    """One connection's GETs of the page for some seconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        connection.request("GET", "/page.bin", headers={"Host": host, "Accept-Encoding": "identity"})
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200 and len(body) == len(PAGE)
        count += 1
    results.put(count)


def rate(port, host, seconds, connections):
    """Pages a second over several connections, each of a process."""
    results = multiprocessing.Queue()
    clients = [multiprocessing.Process(target=ask, args=(port, host, seconds, results)) for _ in range(connections)]
    for client in clients:
        client.start()
    total = sum(results.get() for _ in clients)
    for client in clients:
        client.join()
    return total / seconds


@contextlib.contextmanager
def nginx(folder, work):
    """nginx with one worker a core, or None."""
    program = shutil.which("nginx") or ("/usr/sbin/nginx" if os.path.exists("/usr/sbin/nginx") else None)
    if program is None:
        yield None
        return
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    place = work / "nginx"
    place.mkdir()
    temporary = "".join(f"{kind}_temp_path {place}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (place / "nginx.conf").write_text(
        f"daemon off; pid {place}/pid; error_log {place}/error; worker_processes auto; events {{}} "
        f"http {{ access_log off; sendfile on; keepalive_requests 1000000; {temporary} "
        f"server {{ listen 127.0.0.1:{port}; root {folder}; }} }}"
    )
    process = subprocess.Popen([program, "-c", place / "nginx.conf", "-p", place], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def hosting(program, work, seconds, connections):
    """Rows of a hosted page of 20 KB, taking turns with nginx."""
    site = work / "site"
    (site / "public").mkdir(parents=True)
    (site / "public/page.bin").write_bytes(PAGE)
    (site / "firebase.json").write_text(json.dumps({"hosting": {"public": "public"}}))
    server = Server(program, work / "sites")
    run(program, "hosting", "deploy", "--config", site / "firebase.json", "--project", "load", "--data", server.data)
    with nginx(site / "public", work) as peer:
        ours, theirs = [], []
        for _ in range(3):
            ours.append(rate(server.port, f"load.localhost:{server.port}", seconds, connections))
            if peer:
                theirs.append(rate(peer, "127.0.0.1", seconds, connections))
        own = sorted(ours)[1]
        name = f"page of 20 KB, {connections} connections"
        if peer:
            other = sorted(theirs)[1]
            yield name, f"{own:,.0f} pages/s", f"{own / other:.2f} of nginx ({other:,.0f} pages/s)"
        else:
            yield name, f"{own:,.0f} pages/s", "nginx is not installed"
    server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["moving", "hosting"])
    options = parser.parse_args()
    program = options.programs / "brasa"
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        print("| Measure | Rate | Beside |\n|---|---|---|", flush=True)
        if options.only != "hosting":
            for row in moving(program, work, 2_000 if options.quick else 1_000_000):
                print("| " + " | ".join(row) + " |", flush=True)
        if options.only != "moving":
            for row in hosting(program, work, 1 if options.quick else 10, 4):
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()

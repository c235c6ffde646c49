"""The servers that are compared: how each is started, filled and asked.

Every peer answers `load(measure, seconds)` with requests a second, or None where it has no such
measure. Gets, lists and creates are asked as each server's own clients would ask them, by h2load
with one prepared request, or by brasa-load where keys shall be random.
"""

import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import time
import urllib.request

EMULATOR_JAR = os.environ.get(
    "FIRESTORE_EMULATOR_JAR",
    "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar",
)
EMULATOR_MAIN = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
# The emulator's virtual machine needs some seconds before it is as fast as it gets.
WARM_UP_SECONDS = 5
ROOT = "projects/load/databases/(default)/documents"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process, seconds=120):
    """Waits until the port takes connections; gives the seconds that took."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return time.monotonic() - begun
        time.sleep(0.01)
    raise RuntimeError(f"{process.args[0]} does not listen")


def on_core(core, command):
    """The command held to one core, where the system can do that."""
    if core is None or not pathlib.Path("/usr/bin/taskset").exists():
        return command
    return ["taskset", "-c", str(core), *command]


def h2load(url, body, connections, streams, seconds, headers=(), http1=False, core=None):
    """Requests a second that h2load got good answers to."""
    command = ["h2load", "-D", str(seconds), "--warm-up-time", str(WARM_UP_SECONDS), "-c", str(connections)]
    command += ["--h1"] if http1 else ["-m", str(streams)]
    for header in headers:
        command += ["-H", header]
    if body is not None:
        command += ["-d", str(body)]
    done = subprocess.run(
        on_core(core, [*command, url]), capture_output=True, text=True, timeout=seconds + WARM_UP_SECONDS + 120
    )
    rate = re.search(r"finished in [^,]+, ([\d.]+) req/s", done.stdout)
    good = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", done.stdout)
    if not rate or not good or any(int(good[n]) for n in (2, 3, 4)):
        raise RuntimeError(f"{' '.join(command)} {url}\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
    return float(rate[1])


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def text_field(field, text):
    data = text.encode() if isinstance(text, str) else text
    return bytes([*varint(field << 3 | 2), *varint(len(data)), *data])


def grpc_file(directory, name, message):
    """A prepared gRPC request as a file."""
    path = pathlib.Path(directory) / name
    path.write_bytes(b"\0" + struct.pack(">I", len(message)) + message)
    return path


class Peer:
    """A server process in a directory of its own."""

    name = ""

    def __init__(self, programs, directory, core=None):
        self.programs = pathlib.Path(programs)
        self.directory = pathlib.Path(directory)
        self.core = core
        self.port = free_port()
        self.process = None

    def command(self):
        raise NotImplementedError

    def start(self):
        log = open(self.directory / f"{self.name}.log", "ab")
        self.process = subprocess.Popen(
            on_core(self.core, [str(part) for part in self.command()]),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory,
        )
        return wait_for(self.port, self.process)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def resident_megabytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return None
        return int(re.search(r"VmRSS:\s+(\d+)", status.read_text())[1]) / 1024


class FirestorePeer(Peer):
    """A server that speaks google.firestore.v1: Brasa or the emulator."""

    def brasa_load(self, *arguments, client_core=None):
        """Runs brasa-load; gives its figure for throughput and the whole report."""
        command = [self.programs / "brasa-load", *arguments, "--port", self.port]
        if "fill" not in arguments[:2] and "--warm-up" not in arguments:
            command += ["--warm-up", WARM_UP_SECONDS]
        done = subprocess.run(
            on_core(client_core, [str(part) for part in command]),
            capture_output=True, text=True, timeout=3600,
        )
        rate = re.search(r"^throughput: ([\d.]+)/s", done.stdout, re.MULTILINE)
        if done.returncode or not rate or "LOST" in done.stdout:
            raise RuntimeError(f"{command}\n{done.stdout}{done.stderr}")
        return float(rate[1]), done.stdout.strip()

    def fill(self, documents):
        return self.brasa_load("fill", "--documents", documents, "--connections", 4, "--in-flight", 4)

    def get_one_name(self, seconds, client_core=None):
        """h2load, 16 x 16, one name that exists."""
        self.post_one()
        body = grpc_file(self.directory, "get.bin", text_field(1, f"{ROOT}/single/one"))
        url = f"http://127.0.0.1:{self.port}/google.firestore.v1.Firestore/GetDocument"
        headers = ("content-type: application/grpc", "te: trailers")
        return h2load(url, body, 16, 16, seconds, headers, core=client_core)

    def post_one(self):
        fields = {"name": {"stringValue": "one"}, "price": {"doubleValue": 1.5}}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/{ROOT}/single/one",
            json.dumps({"fields": fields}).encode(), method="PATCH",
        )
        urllib.request.urlopen(request, timeout=30).read()


class Brasa(FirestorePeer):
    name = "Brasa"

    def command(self):
        return [self.programs / "brasa", "serve", "--dev", "--port", self.port, "--data", "brasa-data"]

    def apply_indexes(self, file):
        """Declares the seed query's index and waits until it is built."""
        where = ["--project", "load", "--data", str(self.directory / "brasa-data")]
        program = str(self.programs / "brasa")
        subprocess.run([program, "indexes", "apply", str(file), *where], check=True, capture_output=True)
        for _ in range(6000):
            done = subprocess.run([program, "indexes", "list", *where], check=True, capture_output=True, text=True)
            if "CREATING" not in done.stdout.upper():
                return
            time.sleep(0.1)
        raise RuntimeError("the index is not built after ten minutes")


class RuledBrasa(Brasa):
    """In production mode, under rules of the seed's shape, for a user with a signed token."""

    name = "Brasa under rules"
    uid = "owner"
    password = "not a secret here"

    def command(self):
        return [self.programs / "brasa", "serve", "--port", self.port, "--data", "brasa-data"]

    def brasa(self, *arguments, **options):
        where = ["--project", "load", "--data", str(self.directory / "brasa-data")]
        subprocess.run([str(self.programs / "brasa"), *arguments, *where], check=True, capture_output=True, **options)

    def prepare(self, rules):
        """Deploys the rules, makes the user and signs in; every call is the user's from then on."""
        self.brasa("rules", "deploy", str(rules))
        self.brasa("users", "create", "--uid", self.uid, "--email", "owner@example.com", "--password-stdin",
                   input=self.password, text=True)
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=load",
            json.dumps({"email": "owner@example.com", "password": self.password}).encode(),
            {"content-type": "application/json"},
        )
        self.token = json.load(urllib.request.urlopen(request, timeout=30))["idToken"]

    def brasa_load(self, *arguments, client_core=None):
        caller = ("--token", self.token, "--owner", self.uid)
        return super().brasa_load(*arguments, *caller, client_core=client_core)


class Emulator(FirestorePeer):
    name = "Emulator"

    @staticmethod
    def is_installed():
        return pathlib.Path(EMULATOR_JAR).exists()

    def command(self):
        return ["java", "-cp", EMULATOR_JAR, EMULATOR_MAIN, "--host=127.0.0.1", f"--port={self.port}"]


class PocketBase(Peer):
    """PocketBase over its own HTTP API, rules open, request log off."""

    name = "PocketBase"
    PASSWORD = "benchmark-1234567890"

    @staticmethod
    def program():
        return pathlib.Path(sys.executable).parent / "pocketbase"

    def command(self):
        return [self.program(), "serve", f"--http=127.0.0.1:{self.port}", "--dir=pocketbase-data"]

    def start(self):
        create = [str(self.program()), "superuser", "upsert", "load@example.com", self.PASSWORD]
        subprocess.run([*create, "--dir=pocketbase-data"], check=True, capture_output=True, cwd=self.directory)
        return super().start()

    def call(self, method, path, body=None, token=None):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = token
        data = json.dumps(body).encode() if body is not None else None
        url = f"http://127.0.0.1:{self.port}/api/{path}"
        request = urllib.request.Request(url, data, headers, method=method)
        return json.load(urllib.request.urlopen(request, timeout=120))

    def fill(self, documents):
        """Makes the collection with its index and fills it in batches."""
        login = {"identity": "load@example.com", "password": self.PASSWORD}
        token = self.call("POST", "collections/_superusers/auth-with-password", login)["token"]
        settings = {"logs": {"maxDays": 0}, "batch": {"enabled": True, "maxRequests": 1000, "timeout": 60}}
        self.call("PATCH", "settings", settings, token)
        fields = [{"name": name, "type": "text"} for name in ("userId", "name", "description", "code")]
        fields.append({"name": "price", "type": "number"})
        collection = {"name": "products", "type": "base", "fields": fields,
                      "indexes": ["CREATE INDEX products_user_name ON products (userId, name)"]}
        collection.update({rule: "" for rule in ("listRule", "viewRule", "createRule", "updateRule")})
        self.call("POST", "collections", collection, token)
        users = max(1, documents // 100)
        for start in range(0, documents, 500):
            requests = [
                {"method": "POST", "url": "/api/collections/products/records", "body": product(n, users)}
                for n in range(start, min(start + 500, documents))
            ]
            self.call("POST", "batch", {"requests": requests}, token)
        record = self.call("GET", "collections/products/records?perPage=1")["items"][0]
        self.first, self.user = record["id"], record["userId"]

    def records(self):
        return f"http://127.0.0.1:{self.port}/api/collections/products/records"

    def listen(self, seconds, connections):
        """Milliseconds until the last of so many subscribers heard of a change, and deliveries a second."""
        command = [self.programs / "brasa-load", "listen-pocketbase", "--port", self.port,
                   "--connections", connections, "--record", self.first, "--seconds", seconds]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, check=True)
        last = re.search(r"^commit to last listener: p50 ([\d.]+) ms", done.stdout, re.MULTILINE)
        rate = re.search(r"^deliveries: \d+, ([\d.]+)/s", done.stdout, re.MULTILINE)
        return float(last[1]), float(rate[1])

    def get(self, seconds, client_core=None):
        return h2load(f"{self.records()}/{self.first}", None, 64, 1, seconds, http1=True, core=client_core)

    def list(self, seconds, client_core=None):
        url = f"{self.records()}?filter=(userId='{self.user}')&sort=name&perPage=20&skipTotal=1"
        return h2load(url, None, 64, 1, seconds, http1=True, core=client_core)

    def create(self, seconds, connections):
        body = self.directory / "create.json"
        body.write_text(json.dumps(product(1, 1)))
        return h2load(self.records(), body, connections, 1, seconds,
                      ("content-type: application/json",), http1=True)


def product(number, users):
    name = f"Produto {number * 7919 % 1000003}"
    return {"userId": f"user-{number % users}", "name": name, "code": f"COD{number}",
            "description": f"{name}, como a loja o descreve", "price": number % 100000 / 4}

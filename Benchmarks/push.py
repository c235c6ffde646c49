"""What messages cost: sends, a topic, APNs, Web Push, streams, a start with a long queue.

    swift build -c release --product brasa && swift build -c release --product brasa-load
    swift build -c release --product push-stand-in
    .venv/bin/python Benchmarks/push.py --programs .build/release
    ... --programs .build/debug --quick       (a minute or two: shows that it works, measures nothing)

Prints a Markdown table. Push services are stand-ins on this machine that check what Apple checks and decrypt nothing. Where
there is `taskset`, rows that say "one core" give the server one and everything else the other; the other rows share all. A
server's processor time says what a core could do, whoever else uses the machine. Needs `cryptography`, for the key.
"""

import argparse
import contextlib
import datetime
import http.client
import json
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import peers

TEAM, KEY, BUNDLE = "TEAM567890", "ABC123DEFG", "com.example.shop"


class Sizes:
    """How much each measure moves."""

    def __init__(self, quick):
        self.seconds = 1 if quick else 10
        self.devices = 200 if quick else 5_000
        self.subscribers = 5_000 if quick else 1_000_000
        self.pushed = 2_000 if quick else 100_000
        self.streams = 100 if quick else 10_000
        self.secure_streams = 50 if quick else 1_000
        self.rate = 200 if quick else 5_000


class Brasa(peers.Brasa):
    """Brasa in development mode that may send to stand-ins."""

    def __init__(self, programs, directory, core=None, **settings):
        super().__init__(programs, directory, core)
        self.settings = settings

    def command(self):
        return ["env", *(f"{name}={value}" for name, value in self.settings.items()), *super().command()]

    @property
    def data(self):
        return self.directory / "brasa-data"

    def load(self, *arguments):
        """Runs a command of `brasa-load messages` against the server; gives its report."""
        return load(self.programs, *arguments, "--port", self.port, "--pid", self.process.pid)


def load(programs, *arguments):
    command = [str(part) for part in (programs / "brasa-load", "messages", *arguments)]
    done = subprocess.run(peers.on_core(1, command), capture_output=True, text=True, timeout=7200)
    errors = re.findall(r"^errors: (\d+)$", done.stdout, re.MULTILINE)
    if done.returncode or not errors or any(count != "0" for count in errors):
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class SecureBrasa(Brasa):
    """The same behind TLS, with a certificate of its own making."""

    project = "load-messages"

    def __init__(self, programs, directory):
        super().__init__(programs, directory)
        key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.timezone.utc)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .sign(key, hashes.SHA256())
        )
        self.key, self.certificate = directory / "server-key.pem", directory / "server.pem"
        self.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        self.key.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ))
        self.context = ssl.create_default_context(cafile=str(self.certificate))

    def command(self):
        return [*super().command(), "--tls-certificate", self.certificate, "--tls-key", self.key]

    @property
    def resident_kilobytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def register(self, connection):
        """A device's token and its installation's."""
        def post(name, body, **headers):
            connection.request("POST", f"/v1/projects/{self.project}/{name}?key={self.project}", json.dumps(body), headers)
            return json.load(connection.getresponse())
        installation = post("installations", {"appId": "1:42:linux:ab"})["authToken"]["token"]
        registration = post(
            "registrations", {"direct": {"platform": "linux"}}, **{"x-goog-firebase-installations-auth": installation}
        )
        return registration["token"], installation

    def open_stream(self, token, installation):
        """An open stream of a device, whose first line has come."""
        plain = socket.create_connection(("127.0.0.1", self.port))
        stream = self.context.wrap_socket(plain, server_hostname="localhost")
        body = json.dumps({"token": token, "pingSeconds": 540})
        stream.sendall((
            f"POST /v1/projects/{self.project}/registrations:connect?key={self.project} HTTP/1.1\r\nHost: localhost\r\n"
            f"x-goog-firebase-installations-auth: {installation}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode())
        while b"connected" not in stream.recv(4_096):
            pass
        return stream


class StandIn:
    """A stand-in of a push service; a context manager."""

    def __init__(self, programs, *arguments):
        command = peers.on_core(1, [str(programs / "push-stand-in"), *arguments])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = json.loads(self.process.stdout.readline())
        self.url, self.authority = said["url"], said["authority"]

    @property
    def count(self):
        self.process.stdin.write('{"command": "count"}\n')
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["count"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


class AppleKey:
    """A key of a team, as Apple gives it out."""

    def __init__(self, directory):
        key = ec.generate_private_key(ec.SECP256R1())
        self.private, self.public = directory / "key.p8", directory / "public.pem"
        self.private.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ))
        self.public.write_bytes(key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        ))

    @property
    def stand_in(self):
        return "apns", TEAM, KEY, BUNDLE, str(self.public), "--forgetful"


def figure(report, pattern):
    return float(re.search(pattern, report, re.MULTILINE)[1])


def text(report, pattern):
    return re.search(pattern, report, re.MULTILINE)[1]


class Table:
    def __init__(self):
        print("| Measure | Ask | Measured | Server's processors |\n|---|---|---|---|", flush=True)

    def row(self, *cells):
        print("| " + " | ".join(cells) + " |", flush=True)


class Benchmark:
    def __init__(self, options, directory):
        self.programs = pathlib.Path(options.programs).resolve()
        self.sizes = Sizes(options.quick)
        self.directory = directory
        self.key = AppleKey(directory)
        self.table = Table()
        self.numbers = iter(range(1_000))

    @contextlib.contextmanager
    def server(self, fill=(), core=None, **settings):
        """A server on data of its own, of registrations that were made before."""
        directory = self.directory / f"{next(self.numbers)}"
        directory.mkdir()
        server = Brasa(self.programs, directory, core, **settings)
        server.filled = load(self.programs, "fill", "--data", server.data, *fill) if fill else ""
        server.start()
        try:
            yield server
        finally:
            server.stop()
            shutil.rmtree(directory)

    def apns(self, count):
        return "--way", "apns", "--apns-key", self.key.private, "--bundle", BUNDLE, "--registrations", count

    def sends(self):
        with self.server() as server:
            report = server.load("send", "--seconds", self.sizes.seconds, "--devices", self.sizes.devices)
        last = report[report.index("messages send"):]
        self.table.row(
            "single sends, durable, 64 in flight", "6,000/s", text(last, r"^throughput: (\S+)"),
            text(last, r"processors, (.*) each") + " a send",
        )

    def topic(self):
        count = self.sizes.subscribers
        with StandIn(self.programs, *self.key.stand_in) as apple:
            settings = {"BRASA_APNS_PRODUCTION": apple.url, "BRASA_PUSH_CA": apple.authority}
            with self.server(self.apns(count), **settings) as server:
                report = server.load("topic")
        self.table.row(
            f"topic of {count:,}: accepted, first delivery, expansion", "20 ms, 1 s, 50,000/s",
            ", ".join((text(report, r"^accepted: (.*)"), text(report, r"^first delivery: (.*)"),
                       text(report, r"^expanded: .*, (.*)"))),
            text(report, r"processors, (.*) a delivery") + " a delivery, what was handed over meanwhile with it",
        )

    def pushes(self, title, ask, stand_in, fill, settings):
        count = self.sizes.pushed
        with StandIn(self.programs, *stand_in) as service:
            with self.server(fill(service, count), core=0, **settings(service)) as server:
                report = server.load("topic", "--handed", count)
        each = figure(report, r"processors, ([\d.]+) us a delivery")
        self.table.row(
            f"{title}, one core, with the topic's expansion", ask, text(report, r"^handed over: .*, (.*)"),
            f"{each:.0f} us a delivery: {1e6 / each:.0f} a second of a core",
        )

    def apple(self):
        self.pushes(
            "APNs", "5,000/s", self.key.stand_in, lambda service, count: self.apns(count),
            lambda service: {"BRASA_APNS_PRODUCTION": service.url, "BRASA_PUSH_CA": service.authority},
        )

    def web(self):
        self.pushes(
            "Web Push", "2,000/s", ("web",),
            lambda service, count: ("--way", "web", "--service", service.url, "--registrations", count),
            lambda service: {"BRASA_PUSH_HOSTS": service.url.removeprefix("https://"),
                             "BRASA_PUSH_CA": service.authority},
        )

    def transports(self):
        """The transports alone, in a process of their own on one core."""
        program, count = str(self.programs / "push-stand-in"), str(self.sizes.pushed)
        apple = ("drive-apns", TEAM, KEY, BUNDLE, str(self.key.private))
        for title, ask, stand_in, drive in (
            ("APNs", "5,000/s", self.key.stand_in, apple), ("Web Push", "2,000/s", ("web",), ("drive-web",)),
        ):
            with StandIn(self.programs, *stand_in) as service:
                command = [program, drive[0], service.url, service.authority, *drive[1:], count, "256"]
                done = subprocess.run(peers.on_core(0, command), capture_output=True, text=True, check=True)
            said = json.loads(done.stdout)
            sent = said["count"] - said["failed"]
            self.table.row(
                f"{title}: the transport alone, one core", ask, f"{sent / said['seconds']:.0f}/s",
                f"{said['processorSeconds'] / sent * 1e6:.0f} us a delivery",
            )

    def streams(self):
        with self.server() as server:
            report = server.load(
                "streams", "--streams", self.sizes.streams, "--rate", self.sizes.rate, "--seconds", self.sizes.seconds
            )
        count = self.sizes.streams
        self.table.row(f"{count:,} idle streams, without TLS", "<= 8 KB", text(report, r"^memory: (.*) a stream"), "")
        self.table.row(
            f"{self.sizes.rate:,}/s over {count:,} streams, from send to acknowledgement", "p99 <= 100 ms",
            text(report, r"^send to acknowledgement: (.*)"), text(report, r"processors, (.*) a message") + " a message",
        )

    def secure(self):
        count, directory = self.sizes.secure_streams, self.directory / "secure"
        directory.mkdir()
        server = SecureBrasa(self.programs, directory)
        server.start()
        try:
            connection = http.client.HTTPSConnection("localhost", server.port, context=server.context)
            devices = [server.register(connection) for _ in range(count)]
            before = server.resident_kilobytes
            streams = [server.open_stream(*device) for device in devices]
            each = (server.resident_kilobytes - before) / len(streams)
        finally:
            server.stop()
        shutil.rmtree(directory)
        self.table.row(f"{count:,} idle streams with TLS", "", f"{each:.1f} KB a stream", "")

    def restart(self):
        count = self.sizes.subscribers
        with StandIn(self.programs, *self.key.stand_in) as apple:
            directory = self.directory / "restart"
            directory.mkdir()
            settings = {"BRASA_APNS_PRODUCTION": apple.url, "BRASA_PUSH_CA": apple.authority}
            server = Brasa(self.programs, directory, **settings)
            filled = load(self.programs, "fill", "--data", server.data, *self.apns(count), "--queue")
            begun = time.monotonic()
            server.start()
            while not apple.count:
                time.sleep(0.005)
            taken = time.monotonic() - begun
            server.stop()
            shutil.rmtree(directory)
        self.table.row(
            f"a topic's {count:,} deliveries made, in one process without a network", "50,000/s",
            text(filled, r"^expanded: (.*)"), text(filled, r"^processors: (.*) a delivery") + " a delivery",
        )
        self.table.row(f"start with {count:,} queued, first delivery", "3 s", f"{taken:.2f} s", "")


MEASURES = ("sends", "topic", "apple", "web", "transports", "streams", "secure", "restart")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=".build/release", help="where brasa, brasa-load and push-stand-in are")
    parser.add_argument("--only", default=",".join(MEASURES), help="some of " + ",".join(MEASURES))
    parser.add_argument("--quick", action="store_true", help="make everything small and short")
    parser.add_argument("--directory", help="the disk (default: the system's for temporary files)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        benchmark = Benchmark(options, pathlib.Path(directory))
        for name in options.only.split(","):
            getattr(benchmark, name)()


if __name__ == "__main__":
    main()

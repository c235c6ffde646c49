"""Starts and stops the servers that the tests talk to.

`BRASA_TEST_TARGET=emulator` runs the suite against Google's Firestore emulator instead of our own
program: a check of the tests themselves. `BRASA_BINARY` names the program to test; without it the
debug build of this checkout is taken.
"""

import atexit
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import requests

from support import secrets

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
TARGET = os.environ.get("BRASA_TEST_TARGET", "brasa")
EMULATOR_JAR = os.environ.get(
    "FIRESTORE_EMULATOR_JAR",
    "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar",
)
EMULATOR_MAIN = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
# The project of production servers, which is what API keys that they do not know lead to.
PROJECT = "shop"
START_SECONDS = 180
STOP_SECONDS = 120


def binary():
    """The program under test."""
    chosen = os.environ.get("BRASA_BINARY")
    return pathlib.Path(chosen) if chosen else CHECKOUT / ".build" / "debug" / "brasa"


def release_binary():
    """The program under test for measurements: the release build, where the debug build would be taken."""
    debug, release = (CHECKOUT / ".build" / kind / "brasa" for kind in ("debug", "release"))
    chosen = binary()
    return release if release.exists() and chosen.resolve() == debug.resolve() else chosen


def free_port():
    """A port that nobody uses right now; only for programs that cannot be told to choose one.

    It is below those that Linux gives to connections and to servers that let it choose: none of these takes it meanwhile.
    """
    try:
        first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        first = 0
    # Where there are few below, the system chooses.
    tried = random.sample(range(10_000, first), 100) if first > 20_000 else []
    for port in [*tried, 0]:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return probe.getsockname()[1]
    raise OSError("there is no free port")


def clean_environment(extra=None):
    """Our environment without settings meant for servers or clients of somebody else."""
    dropped = ("BRASA_", "FIRESTORE_", "GOOGLE_", "GCLOUD_", "FIREBASE_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    kept.update(extra or {})
    return kept


def wait_for(condition, what, seconds=START_SECONDS):
    """What `condition` gives as soon as that is something."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        threading.Event().wait(0.02)
    return found


class Process:
    """A server process whose output is kept, with the address that it printed."""

    # The line with which our server says that it listens, and the emulator's.
    address_patterns = (
        re.compile(r"^brasa listening address=\S+ port=(?P<port>\d+) tls=(?P<tls>true|false)"),
        re.compile(r"^API endpoint: http://[^:]+:(?P<port>\d+)"),
    )

    # Everything that the servers of this run wrote.
    log = []
    # The soft and the hard limit of open files; nothing is ours.
    open_files = None
    # What `requests` verifies the server's certificate with.
    authority = True

    def __init__(self, command, environment=None):
        self.command = [str(part) for part in command]
        self.environment = environment or clean_environment()
        self.process = None
        self.lines = []
        self.port = None
        self.scheme = "http"
        self._reader = None
        self._ready = threading.Event()

    def start(self):
        """Starts the process and waits until it printed its address."""
        self.begin()
        if not self._ready.wait(START_SECONDS) or self.port is None:
            self.kill()
            raise RuntimeError(f"no address from {' '.join(self.command)}:\n{self.output}")
        return self

    def begin(self):
        """Starts the process, which a test that fails need not end: it ends with the suite."""
        atexit.register(self.kill)
        self._ready.clear()
        # Not set in a copy of this process, of which gRPC's threads know nothing.
        limit = ["prlimit", f"--nofile={self.open_files[0]}:{self.open_files[1]}"] if self.open_files else []
        self.process = subprocess.Popen(
            [*limit, *self.command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=self.environment,
        )
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()

    def _read(self, process):
        for line in process.stdout:
            self.lines.append(line)
            self.log.append(line)
            for pattern in self.address_patterns:
                if not self._ready.is_set() and (found := pattern.search(line)):
                    self.scheme = "https" if found.groupdict().get("tls") == "true" else "http"
                    self.port = int(found.group("port"))
                    self._ready.set()
        self._ready.set()

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def url(self):
        # Certificates are for the name.
        return f"https://localhost:{self.port}" if self.scheme == "https" else f"http://{self.host}"

    @property
    def output(self):
        return "".join(self.lines)

    @property
    def metrics(self):
        """The lines of the page of metrics."""
        return requests.get(f"{self.url}/metrics", verify=self.authority, timeout=30).text.splitlines()

    def wait_for_output(self, *texts):
        """Waits until the output has all of the texts: a line may be read after the answer that it is about."""
        wait_for(lambda: all(text in self.output for text in texts), " and ".join(texts))

    @property
    def administrator_key(self):
        """The key that the first start in production printed, on a line of its own."""
        found = re.search(r"administrator key.*?^ {4}(\S{20,})$", self.output, re.MULTILINE | re.DOTALL)
        assert found, f"no administrator key in:\n{self.output}"
        return secrets.note(found.group(1), "administrator key")

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def stacks(self):
        """The calls in which the process's threads are, where a debugger is installed."""
        if not (debugger := shutil.which("gdb")):
            return "(without gdb, nothing tells where it is)"
        command = [debugger, "-p", str(self.process.pid), "-batch", "-ex", "thread apply all backtrace 16"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        return "\n".join(line[:200] for line in done.stdout.splitlines() if re.match(r"#|Thread", line))

    def stop(self):
        """Asks the process to stop, as an operator does, and gives its exit code."""
        if self.process is None:
            return None
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            stacks = self.stacks()
            self.kill()
            raise RuntimeError(f"did not stop on SIGTERM:\n{self.output}\n{stacks}") from None
        self._reader.join(STOP_SECONDS)
        return code

    def kill(self):
        """kill -9."""
        if self.process is None:
            return
        if self.is_running:
            self.process.kill()
        self.process.wait(STOP_SECONDS)
        self._reader.join(STOP_SECONDS)


class Brasa(Process):
    """Our server on a data directory. It may be started again after a stop or a kill."""

    def __init__(
        self, data, *arguments, development=True, environment=None, program=None, open_files=None
    ):
        self.data = pathlib.Path(data)
        self.open_files = open_files
        command = [program or binary(), "serve", "--port", "0", "--data", data]
        command += ["--dev"] if development else []
        super().__init__([*command, *arguments], clean_environment(environment))

    @classmethod
    def production(cls, data, certificates, *arguments, **options):
        """A server in production mode with the certificate of a directory that `brasa certs` made."""
        files = ["--tls-certificate", certificates / "server.pem", "--tls-key", certificates / "server-key.pem"]
        made = cls(data, *files, *arguments, development=False, **options)
        made.authority = str(certificates / "authority.pem")
        return made


class Emulator(Process):
    """Google's emulator, in memory."""

    def __init__(self, *arguments):
        command = ["java", "-Duser.language=en", "-Xmx2g", "-cp", EMULATOR_JAR, EMULATOR_MAIN]
        super().__init__([*command, "--host=127.0.0.1", f"--port={free_port()}", *arguments])

    def start(self):
        super().start()
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            threading.Event().wait(0.05)
        raise RuntimeError(f"the emulator does not listen:\n{self.output}")


def run(*arguments, environment=None, check=True, input=None, timeout=120, program=None):
    """Runs one of our commands to its end."""
    done = subprocess.run(
        [str(program or binary()), *map(str, arguments)],
        input=input,
        capture_output=True,
        text=True,
        env=clean_environment(environment),
        timeout=timeout,
    )
    if check and done.returncode != 0:
        raise AssertionError(
            f"brasa {' '.join(map(str, arguments))}: exit {done.returncode}\n"
            f"{done.stdout}{done.stderr}"
        )
    return done

"""A stand-in for systemd: the socket that it listens on, a unit's settings, and a process started as they say."""

import ctypes
import json
import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading

LAUNCHER = pathlib.Path(__file__).with_name("launcher.py")


class NotifySocket:
    """The datagram socket that NOTIFY_SOCKET names, in the file system or abstract."""

    def __init__(self, path, is_abstract=False):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.name = f"@{path}" if is_abstract else str(path)
        self.seen = []
        if is_abstract:
            self.socket.bind(f"\0{path}")
            return
        # A socket's address has room for a hundred bytes, and paths of tests are longer.
        folder = os.open(os.path.dirname(path), os.O_DIRECTORY)
        self.socket.bind(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
        os.close(folder)

    def next(self, seconds=60):
        """The next message; raises TimeoutError where none comes."""
        self.socket.settimeout(seconds)
        self.seen.append(self.socket.recv(65_536).decode())
        return self.seen[-1]

    def wait_for(self, *beginnings, seconds=60):
        """Reads until a message begins with one of these texts; that message."""
        while not (message := self.next(seconds)).startswith(beginnings):
            pass
        return message

    def drain(self):
        """Reads what has come so far."""
        try:
            while True:
                self.next(0.001)
        except (TimeoutError, BlockingIOError):
            return

    def close(self):
        self.socket.close()


class Unit:
    """The settings of a unit's file; of a name that occurs several times all values."""

    def __init__(self, text):
        self.values = {}
        for name, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
            self.values.setdefault(name, []).append(value)

    def __getitem__(self, name):
        return self.values[name][-1]

    def words(self, name):
        return [word for value in self.values.get(name, []) for word in value.split()]


class Service:
    """A unit of a root that is started and stopped as the unit says.

    The process has the unit's user, environment, limits, read-only file system, without capabilities, and with its
    filters of system calls and address families in force.
    """

    def __init__(self, root, name):
        self.root = root
        self.unit = Unit((root.path / "lib/systemd/system" / name).read_text())
        self.notify = None
        self.process = None
        self.output = ""
        self.port = None

    @property
    def is_active(self):
        return self.process is not None and self.process.poll() is None

    def environment(self):
        """What `Environment=` and `EnvironmentFile=` say, the second winning."""
        found = dict(word.split("=", 1) for word in self.unit.words("Environment"))
        file = self.root.path / self.unit["EnvironmentFile"].lstrip("-/")
        for line in file.read_text().splitlines():
            if line and not line.startswith("#"):
                name, value = line.split("=", 1)
                found[name] = value
        return found

    def start(self):
        """Starts the service, and returns when it has said that it is ready."""
        assert self.unit["Type"] == "notify"
        directory = pathlib.Path("/var/lib") / self.unit["StateDirectory"]
        place = self.root.path / "run" / f"notify-{len(os.listdir(self.root.path / 'run'))}"
        self.notify = NotifySocket(place)
        place.chmod(0o777)
        reading, writing = os.pipe()
        journal = os.fstat(writing)
        settings = {
            "root": str(self.root.inside),
            "user": self.unit["User"],
            "group": self.unit["Group"],
            "directory": self.unit["WorkingDirectory"],
            "writable": str(directory),
            "mode": int(self.unit["StateDirectoryMode"], 8),
            "umask": int(self.unit["UMask"], 8),
            "files": int(self.unit["LimitNOFILE"]),
            "calls": system_calls(self.unit),
            "families": [int(getattr(socket, family)) for family in self.unit.words("RestrictAddressFamilies")],
            "command": shlex.split(self.unit["ExecStart"]),
            "environment": {
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "LANG": "C.UTF-8",
                **self.environment(),
                "NOTIFY_SOCKET": f"/run/{place.name}",
                "WATCHDOG_USEC": str(int(self.unit["WatchdogSec"]) * 1_000_000),
                "JOURNAL_STREAM": f"{journal.st_dev}:{journal.st_ino}",
            },
        }
        self.process = subprocess.Popen(
            self.root.enter("unshare", "--mount", "--propagation", "private", sys.executable, LAUNCHER),
            stdin=subprocess.PIPE, stdout=writing, stderr=writing,
        )
        os.close(writing)
        self.output = ""
        threading.Thread(target=self._read, args=(reading,), daemon=True).start()
        self.process.stdin.write(json.dumps(settings).encode())
        self.process.stdin.close()
        try:
            self.notify.wait_for("READY=1")
        except TimeoutError:
            raise AssertionError(f"not ready:\n{self.output}") from None
        (status,) = [text for text in self.notify.seen if text.startswith("STATUS=Listening on ")]
        self.port = int(re.search(r":(\d+), ", status)[1])

    def _read(self, reading):
        with os.fdopen(reading, errors="replace") as lines:
            for line in lines:
                self.output += line

    def stop(self):
        """Stops the service with SIGTERM; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.notify.drain()
        return code

    def close(self):
        if self.is_active:
            self.process.kill()
            self.process.wait(60)


def system_calls(unit):
    """The names of the system calls that the unit's filter lets pass, as systemd resolves its sets."""
    allowed = set()
    for value in unit.values["SystemCallFilter"]:
        names = {call for word in value.lstrip("~").split() for call in resolved(word)}
        allowed = allowed - names if value.startswith("~") else allowed | names
    # systemd always lets pass what starting a process takes.
    return sorted(allowed | resolved("@default"))


def resolved(word, found=None):
    """The system calls of a set, and of the sets in it."""
    found = set() if found is None else found
    if not word.startswith("@"):
        found.add(word)
        return found
    listed = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager", word], capture_output=True, text=True, check=True
    ).stdout
    for line in listed.splitlines()[1:]:
        if (name := line.strip()) and not name.startswith("#"):
            resolved(name, found)
    return found


class FrozenThreads:
    """Threads of a child process that stand still, as in a debugger, while the rest of it runs."""

    SEIZE, INTERRUPT, DETACH, WAIT_ALL = 0x4206, 0x4207, 17, 0x40000000

    def __init__(self, process, name):
        self.threads = [
            int(folder.name) for folder in pathlib.Path(f"/proc/{process}/task").iterdir()
            if name in (folder / "comm").read_text()
        ]
        assert self.threads, f"no thread is named {name}"
        self.library = ctypes.CDLL(None, use_errno=True)

    def __enter__(self):
        for thread in self.threads:
            self._trace(self.SEIZE, thread)
            self._trace(self.INTERRUPT, thread)
            os.waitpid(thread, self.WAIT_ALL)
        return self

    def __exit__(self, *_):
        for thread in self.threads:
            self._trace(self.DETACH, thread)

    def _trace(self, request, thread):
        if self.library.ptrace(request, thread, None, None) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request}")

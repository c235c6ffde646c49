"""What a process takes of the machine, sampled while something is done to it."""

import os
import pathlib
import threading
from typing import NamedTuple

SAMPLE_SECONDS = 0.1


class Vitals(NamedTuple):
    """Resident bytes, descriptors and threads."""

    memory: int
    descriptors: int
    threads: int

    def __str__(self):
        return f"{self.memory >> 20} MB, {self.descriptors} descriptors, {self.threads} threads"


def vitals(pid, without=None):
    """The process's vitals now; descriptors of files whose names end so are left out."""
    process = pathlib.Path("/proc") / str(pid)
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    descriptors = os.listdir(process / "fd")
    if without:
        descriptors = [one for one in descriptors if not target(process / "fd" / one).endswith(without)]
    return Vitals(int(status["VmRSS"].split()[0]) << 10, len(descriptors), int(status["Threads"]))


def target(descriptor):
    """What a descriptor leads to; nothing, once it is closed."""
    try:
        return os.readlink(descriptor)
    except FileNotFoundError:
        return ""


class Sampler(threading.Thread):
    """Samples a process until it ends or `stop` is called; `peak` is the highest of each."""

    def __init__(self, pid, without=None):
        super().__init__(daemon=True)
        self.pid, self.without = pid, without
        self.peak = vitals(pid, without)
        self.samples = [self.peak]
        self._is_over = threading.Event()
        self.start()

    def run(self):
        while not self._is_over.wait(SAMPLE_SECONDS):
            try:
                now = vitals(self.pid, self.without)
            except (OSError, KeyError):
                # It died; whoever looks at the process learns of it.
                return
            self.samples.append(now)
            self.peak = Vitals(*map(max, self.peak, now))

    def stop(self):
        self._is_over.set()
        self.join()
        return self.peak

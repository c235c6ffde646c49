"""The shim of Tests/Faults under the program: what it wrote and synced, and faults on demand."""

import pathlib
import subprocess
from typing import NamedTuple

from support import server as servers

SOURCE = servers.CHECKOUT / "Tests" / "Faults" / "shim.c"


def build(directory):
    return compile(SOURCE, pathlib.Path(directory) / "shim.so")


def compile(source, library):
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-lpthread"]
    subprocess.run([str(part) for part in command], check=True)
    return library


def environment(
    library, data, trace=None, fail_sync=None, fail_write=None, no_files_while=None, no_accept=None,
    no_connections_while=None, fail_sync_while=None, full_while=None,
):
    """What has the shim watch the data directory; faults count from the start."""
    chosen = {"LD_PRELOAD": str(library), "BRASA_FAULT_DIR": str(pathlib.Path(data).resolve())}
    if trace:
        chosen["BRASA_FAULT_TRACE"] = str(trace)
    if fail_sync:
        chosen["BRASA_FAULT_FAIL_SYNC"] = str(fail_sync)
    if fail_write:
        chosen["BRASA_FAULT_FAIL_WRITE"] = str(fail_write)
    if no_files_while:
        chosen["BRASA_FAULT_NO_FILES_WHILE"] = str(no_files_while)
    if no_connections_while:
        chosen["BRASA_FAULT_NO_CONNECTIONS_WHILE"] = str(no_connections_while)
    if fail_sync_while:
        chosen["BRASA_FAULT_FAIL_SYNC_WHILE"] = str(fail_sync_while)
    if full_while:
        chosen["BRASA_FAULT_FULL_WHILE"] = str(full_while)
    if no_accept:
        chosen["BRASA_FAULT_NO_ACCEPT"] = str(no_accept)
    return chosen


class Event(NamedTuple):
    time: int
    kind: str
    inode: int
    number: int
    content: bytes


def read_trace(path):
    """The events of a trace, in their order; a last one that was cut off is left out."""
    raw = pathlib.Path(path).read_bytes()
    events = []
    position = 0
    while (end := raw.find(b"\n", position)) >= 0:
        time, kind, inode, number, size = raw[position:end].split(b" ")
        start, stop = end + 1, end + 1 + int(size)
        if stop > len(raw):
            break
        events.append(Event(int(time), kind.decode(), int(inode), int(number), raw[start:stop]))
        position = stop + 1
    return events

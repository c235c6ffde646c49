"""Becomes a service's process in a root: reads the settings as JSON from standard input (see supervision.Service)."""

import ctypes
import json
import os
import pathlib
import resource
import sys

ALLOW, REFUSE, EQUAL = 0x7FFF0000, 0x00050000 | 1, 4  # The refusal is EPERM.
MASKED_EQUAL = 7
BIND, REMOUNT, READ_ONLY, RECURSIVE = 1 << 12, 1 << 5, 1, 1 << 14
SET_NO_NEW_PRIVILEGES, DROP_BOUNDING = 38, 24
EXECUTABLE_AND_WRITABLE = 6

library = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), what)


def mount(source, target, flags):
    check(library.mount(source.encode(), target.encode(), None, flags, None), f"mount {target}")


class Argument(ctypes.Structure):
    """A comparison of a system call's argument."""

    _fields_ = [("index", ctypes.c_uint), ("kind", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def filter_calls(settings):
    """Lets the listed calls pass, sockets of the listed families alone, and no memory that is writable and code."""
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(REFUSE)))
    add = seccomp.seccomp_rule_add_array

    def allow(name, *arguments):
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number == -1:
            return
        array = (Argument * len(arguments))(*arguments) if arguments else None
        add(context, ctypes.c_uint32(ALLOW), number, len(arguments), array)

    for name in settings["calls"]:
        if name == "socket":
            for family in settings["families"]:
                allow(name, Argument(0, EQUAL, family, 0))
        elif name in ("mmap", "mprotect", "pkey_mprotect"):
            for protection in range(8):
                if protection & EXECUTABLE_AND_WRITABLE != EXECUTABLE_AND_WRITABLE:
                    allow(name, Argument(2, MASKED_EQUAL, 7, protection))
        else:
            allow(name)
    check(seccomp.seccomp_load(context), "seccomp_load")


def numbers(root, file, name):
    """The numbers of an account or a group in the root's own list."""
    for line in pathlib.Path(root, "etc", file).read_text().splitlines():
        fields = line.split(":")
        if fields[0] == name:
            return int(fields[2])
    raise LookupError(f"{name} is not in /etc/{file}")


def main():
    settings = json.load(sys.stdin)
    root = settings["root"]
    user, group = numbers(root, "passwd", settings["user"]), numbers(root, "group", settings["group"])
    state = pathlib.Path(root + settings["writable"])
    if not state.exists():
        state.mkdir()
        os.chown(state, user, group)
    state.chmod(settings["mode"])
    # All is read-only, but for the state and, as PrivateTmp has it, a /tmp of its own.
    mount(root, root, BIND | RECURSIVE)
    mount(str(state), str(state), BIND)
    check(library.mount(b"tmpfs", f"{root}/tmp".encode(), b"tmpfs", 0, None), "mount /tmp")
    check(library.mount(None, root.encode(), None, REMOUNT | BIND | READ_ONLY, None), "remount /")
    os.chroot(root)
    # A container may not raise what it was given.
    files = min(settings["files"], resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    for capability in range(64):
        library.prctl(DROP_BOUNDING, capability, 0, 0, 0)
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    os.umask(settings["umask"])
    os.chdir(settings["directory"])
    check(library.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    environment = {**settings["environment"], "WATCHDOG_PID": str(os.getpid())}
    filter_calls(settings)
    os.execve(settings["command"][0], settings["command"], environment)


main()

"""Roots in which packages are installed: this system's files, to which nothing is written, without Swift."""

import os
import pathlib
import shutil
import subprocess
import threading

SYSTEMCTL = """#!/bin/sh
# Stands in for systemd's tool. What concerns running services is done by the test, at the other end of the pipes.
for word in "$@"; do
  case $word in
    is-enabled | preset | enable | disable | mask | unmask) exec /bin/systemctl --root=/ "$@" ;;
  esac
done
echo "$*" >/run/requests
read -r code </run/replies
exit "$code"
"""


def can_be_made():
    """True if this user may mount file systems."""
    tried = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True)
    return os.geteuid() == 0 and tried.returncode == 0


class Root:
    """A copy on write of this system, mounted where only this object's commands see it.

    `masked` names folders that are empty in it.
    """


    def __init__(self, folder, lower="/", masked=()):
        self.folder = pathlib.Path(folder)
        self.path = self.folder / "root"
        script = f"""
set -e
mount -t tmpfs -o mode=0755 tmpfs {self.folder}
cd {self.folder}
mkdir upper work root
mount -t overlay -o lowerdir={lower},upperdir=upper,workdir=work overlay root
for folder in proc sys dev tmp run; do mkdir -p root/$folder; done
mount -t proc proc root/proc
mount --rbind /dev root/dev
mount -t tmpfs -o mode=1777 tmpfs root/tmp
mount -t tmpfs -o mode=0755 tmpfs root/run
for folder in {" ".join(map(str, masked))}; do mount -t tmpfs -o mode=0755 tmpfs root$folder; done
echo mounted
exec cat
"""
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        said = self.holder.stdout.readline()
        assert said == "mounted\n", said + self.holder.stdout.read()
        # The test reads and writes the files through the holder's own view of them.
        self.path = pathlib.Path(f"/proc/{self.holder.pid}/root") / str(self.path).lstrip("/")
        self.inside = self.folder / "root"
        self.manager = None

    def enter(self, *command):
        """The command that runs another one where the root is mounted."""
        return ["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt", *map(str, command)]

    def run(self, *command, check=True, user=None, environment=None):
        """Runs a command in the root to its end."""
        words = ["chroot", *([f"--userspec={user}"] if user else []), str(self.inside)]
        variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
        done = subprocess.run(
            self.enter(*words, *command), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
            env={**variables, **(environment or {})},
        )
        if check:
            assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
        return done

    def copy(self, file):
        """Copies a file to /tmp of the root; its path there."""
        shutil.copy(file, self.path / "tmp")
        return f"/tmp/{pathlib.Path(file).name}"

    def changes(self):
        """What is other than in the system below: paths, without what only the root's making took."""
        upper = pathlib.Path(f"/proc/{self.holder.pid}/root") / str(self.folder / "upper").lstrip("/")
        return {f"/{file.relative_to(upper)}" for file in upper.rglob("*")}

    def close(self):
        if self.manager:
            self.manager.close()
        self.holder.stdin.close()
        self.holder.wait(60)


class Manager:
    """Does what maintainer scripts ask of systemd, for the services that a function makes by name."""

    def __init__(self, root, make):
        self.root, self.make = root, make
        self.services, self.calls = {}, []
        (root.path / "run/systemd/system").mkdir(parents=True)
        tool = root.path / "usr/local/sbin/systemctl"
        tool.parent.mkdir(parents=True, exist_ok=True)
        tool.write_text(SYSTEMCTL)
        tool.chmod(0o755)
        # A machine for tests may forbid packages to start services.
        (root.path / "usr/sbin/policy-rc.d").unlink(missing_ok=True)
        for name in ("requests", "replies"):
            os.mkfifo(root.path / "run" / name, 0o600)
        self.failure = None
        root.manager = self
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            request = (self.root.path / "run/requests").read_text().split()
            if not request:
                return
            self.calls.append(" ".join(word for word in request if not word.startswith("-")))
            try:
                code = self._do([word for word in request if not word.startswith("-")])
            except Exception as failure:
                self.failure, code = failure, 1
            (self.root.path / "run/replies").write_text(f"{code}\n")

    def _do(self, words):
        action, names = words[0], words[1:]
        for name in names:
            service = self.services.get(name)
            if action == "is-active":
                return 0 if service and service.is_active else 3
            if action in ("stop", "restart") and service and service.is_active:
                assert service.stop() == 0, service.output
            if action == "restart" or action == "start" and not (service and service.is_active):
                # The unit is read again, as after daemon-reload.
                self.services[name] = self.make(self.root, name)
                self.services[name].start()
        return 0

    def close(self):
        for service in self.services.values():
            service.close()
        # An empty request ends the thread.
        (self.root.path / "run/requests").write_text("")

"""The packages that scripts/package makes: the same bytes each time, and a life from the first install to the purge."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import tarfile

import pytest
import requests

from support import roots, server as servers
from support.supervision import Service

pytestmark = pytest.mark.brasa_only

needs_roots = pytest.mark.skipif(not roots.can_be_made(), reason="needs root, and namespaces of mounts")
# The lower, the better; systemd calls up to 2 "OK".
EXPOSURE = 1.5


def package(out, *options, **variables):
    """Runs scripts/package, which compresses little, for the program under test."""
    done = subprocess.run(
        [servers.CHECKOUT / "scripts" / "package", "--fast", "--out", out, *options],
        capture_output=True, text=True, timeout=600,
        env={**os.environ, "BRASA_BINARY": str(servers.binary()), **variables},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """One package of each kind, by the end of its name."""
    folder = tmp_path_factory.mktemp("packages")
    package(folder)
    return {kind: next(folder.glob(f"*{kind}")) for kind in (".deb", ".tar.gz", ".oci.tar")}


@pytest.fixture(scope="module")
def next_package(tmp_path_factory):
    """The Debian package of the next revision."""
    folder = tmp_path_factory.mktemp("next")
    package(folder, "--deb", "--revision", "2")
    return next(folder.glob("*.deb"))


def block(file, kind):
    """The block of a README file whose info string has these words."""
    return re.search(rf"^```sh {kind}\n(.*?)^```$", (servers.CHECKOUT / file).read_text(), re.MULTILINE | re.DOTALL)[1]


@pytest.mark.parametrize("file", ["README.md", "README.pt-BR.md", "docs/operating.md"])
def test_pages_name_the_packages_of_this_version(packages, file):
    text = (servers.CHECKOUT / file).read_text()
    # The page on operating has another version as that of an upgrade.
    assert packages[".deb"].name.replace("arm64", "amd64") in text
    assert packages[".tar.gz"].name.replace("arm64", "amd64") in text


def swift_folders():
    """Where this system has libraries of Swift that the program under test loads."""
    said = subprocess.run(["ldd", servers.binary()], capture_output=True, text=True).stdout
    paths = [pathlib.Path(path) for path in re.findall(r"=> (/\S+/libswift\S+)", said)]
    return sorted({path.parents[4] if len(path.parents) > 5 else path.parent for path in paths})


@pytest.fixture
def root(tmp_path_factory):
    """This system without Swift, in which nothing of ours is installed."""
    made = roots.Root(tmp_path_factory.mktemp("root"), masked=swift_folders())
    yield made
    made.close()


@pytest.mark.slow
def test_the_same_program_makes_the_same_bytes(packages, tmp_path):
    # At another place, for another user, in another part of the world.
    previous = os.umask(0o077)
    try:
        package(tmp_path, TZ="America/Sao_Paulo", LANG="C", HOME=str(tmp_path))
    finally:
        os.umask(previous)
    for file in packages.values():
        again = tmp_path / file.name
        assert hashlib.sha256(file.read_bytes()).digest() == hashlib.sha256(again.read_bytes()).digest(), file.name


def test_the_package_needs_what_debian_has(packages):
    fields = subprocess.run(["dpkg-deb", "--field", packages[".deb"]], capture_output=True, text=True).stdout
    needed = re.search(r"^Depends: (.*)$", fields, re.MULTILINE)[1]
    for library in ("libc6 (>=", "librocksdb7.8", "libstdc++6", "libcrypt1", "adduser"):
        assert library in needed
    version = servers.run("--version").stdout.split()[0]
    assert f"Version: {version}-1\n" in fields
    listed = subprocess.run(["dpkg-deb", "--contents", packages[".deb"]], capture_output=True, text=True).stdout
    owners = {line.split()[1] for line in listed.splitlines()}
    assert owners == {"root/root"}
    assert "./usr/share/man/man1/brasa-serve.1.gz" in listed


def unpacked(packages, folder):
    subprocess.run(["dpkg-deb", "--extract", packages[".deb"], folder], check=True)
    return folder


def test_every_command_has_a_page_that_troff_reads(packages, tmp_path):
    folder = unpacked(packages, tmp_path) / "usr/share/man/man1"
    commands = re.findall(r"^  ([a-z]+)(?: \(default\))? {2,}\S", servers.run("--help").stdout, re.MULTILINE)
    assert {"serve", "rules", "upgrade"} <= set(commands)
    assert {f"brasa-{command}.1.gz" for command in commands} | {"brasa.1.gz"} == {f.name for f in folder.iterdir()}
    for page in folder.iterdir():
        done = subprocess.run(
            ["man", "--warnings=all", "--encoding=UTF-8", "-l", page], capture_output=True, text=True,
            env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "100", "LC_ALL": "C.UTF-8"},
        )
        assert done.returncode == 0 and done.stderr == "", (page.name, done.stderr)
        assert "NAME" in done.stdout and page.name.removesuffix(".1.gz") in done.stdout
    text = gzip.decompress((folder / "brasa-serve.1.gz").read_bytes()).decode()
    assert ".B BRASA_PORT\nSets \\-\\-port." in text and "[BRASA_" not in text


def test_shells_complete_commands(packages, tmp_path):
    folder = unpacked(packages, tmp_path) / "usr/share"
    bash = folder / "bash-completion/completions/brasa"
    state = 'COMP_WORDS=(brasa ru); COMP_CWORD=1; COMP_LINE="brasa ru"; COMP_POINT=8'
    asked = f'. {bash}; {state}; _brasa brasa ru brasa; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True)
    assert done.stdout.split() == ["rules"], done.stderr
    subprocess.run(["zsh", "-n", folder / "zsh/vendor-completions/_brasa"], check=True)
    fish = folder / "fish/vendor_completions.d/brasa.fish"
    asked = f'source {fish}; complete --do-complete "brasa ru"'
    done = subprocess.run(
        ["fish", "--no-config", "-c", asked], capture_output=True, text=True, env={**os.environ, "HOME": str(tmp_path)}
    )
    assert done.stdout.split("\t")[0] == "rules", done.stderr


@needs_roots
def test_the_unit_is_tight(packages, root):
    root.run("dpkg", "--install", root.copy(packages[".deb"]))
    unit = "/lib/systemd/system/brasa.service"
    said = root.run("systemd-analyze", "verify", "--man=yes", unit)
    assert said.stdout + said.stderr == ""
    said = root.run("systemd-analyze", "security", "--offline=true", "--no-pager", unit).stdout
    exposure = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", said)[1])
    assert exposure <= EXPOSURE, said


@needs_roots
def test_a_life_of_the_package(packages, next_package, root):
    manager = roots.Manager(root, Service)
    before = root.changes()
    # The operator's settings are there before: another program may have the usual port.
    settings = root.path / "etc/brasa/brasa.env"
    settings.parent.mkdir()
    settings.write_text("BRASA_PORT=0\n")
    root.run("dpkg", "--force-confold", "--install", root.copy(packages[".deb"]))
    assert manager.failure is None, manager.failure
    service = manager.services["brasa.service"]
    assert manager.calls[-1] == "start brasa.service" and service.is_active
    assert "daemon-reload" in manager.calls

    # It runs as its user, which alone reads its data.
    data = root.path / "var/lib/brasa"
    account = root.run("getent", "passwd", "brasa").stdout.split(":")
    status = pathlib.Path(f"/proc/{service.process.pid}/status").read_text()
    assert f"Uid:\t{account[2]}\t{account[2]}" in status and "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status
    assert f"{data.stat().st_uid}" == account[2] and data.stat().st_mode & 0o777 == 0o700
    program = f"/proc/{service.process.pid}/exe"
    assert os.readlink(program).endswith("/usr/lib/brasa/brasa")

    key = (data / "administrator-key").read_text().strip()
    assert key not in service.output
    use(service.port, key)
    done = root.run("brasa", "verify", "--data", "/var/lib/brasa", user="brasa:brasa")
    assert "no differences" in done.stdout, done.stdout
    assert root.run("dpkg", "--verify", "brasa").stdout.split() == ["??5??????", "c", "/etc/brasa/brasa.env"]

    # A newer package, while the server runs: settings and data stay, the server is another process.
    first = service
    done = root.run("dpkg", "--install", root.copy(next_package))
    assert manager.failure is None, manager.failure
    service = manager.services["brasa.service"]
    assert first.process.returncode == 0 and "STOPPING=1" in first.notify.seen and service is not first
    assert settings.read_text() == "BRASA_PORT=0\n"
    assert read(service.port, key) == {"name": {"stringValue": "Chair"}}
    assert root.run("dpkg-query", "-W", "-f", "${Version}", "brasa").stdout.endswith("-2")

    # Removing keeps the data, purging does not, and neither asks anything.
    root.run("dpkg", "--remove", "brasa")
    assert service.process.returncode == 0 and (data / "store").is_dir()
    assert not (root.path / "usr/bin/brasa").exists()
    root.run("dpkg", "--purge", "brasa")
    assert not data.exists()
    assert root.run("getent", "passwd", "brasa", check=False).returncode == 2
    assert root.run("getent", "group", "brasa", check=False).returncode == 2
    left = [path for path in root.changes() - before if "brasa" in path and exists(root, path)]
    assert left == []


def exists(root, path):
    """True for what is in the root; what was removed is noted in the layer above, too."""
    return os.path.lexists(root.path / path.lstrip("/"))


PATH = "/v1/projects/shop/databases/(default)/documents/products/chair"


def use(port, key):
    """Writes a document as the administrator."""
    body = {"fields": {"name": {"stringValue": "Chair"}}}
    headers = {"Authorization": f"Bearer {key}"}
    done = requests.patch(f"http://127.0.0.1:{port}{PATH}", json=body, headers=headers, timeout=30)
    assert done.status_code == 200, done.text
    # Nobody else may.
    assert requests.patch(f"http://127.0.0.1:{port}{PATH}", json=body, timeout=30).status_code == 403


def read(port, key):
    """The document's fields."""
    headers = {"Authorization": f"Bearer {key}"}
    return requests.get(f"http://127.0.0.1:{port}{PATH}", headers=headers, timeout=30).json()["fields"]


@needs_roots
def test_a_purge_leaves_what_is_not_ours(packages, root):
    other = root.path / "srv/disk"
    other.mkdir(parents=True)
    (root.path / "var/lib/brasa").symlink_to("/srv/disk")
    root.run("dpkg", "--install", root.copy(packages[".deb"]))
    (other / "data").write_text("mine")
    (root.path / "etc/brasa/server.pem").write_text("a certificate")
    done = root.run("dpkg", "--purge", "brasa")
    assert "the data is still in /srv/disk" in done.stderr
    assert (other / "data").read_text() == "mine"
    assert not os.path.lexists(root.path / "var/lib/brasa")
    assert (root.path / "etc/brasa/server.pem").exists() and not (root.path / "etc/brasa/brasa.env").exists()


class Bare:
    """A folder as the root of processes that find nothing else."""

    def __init__(self, path):
        self.path = path

    def serve(self, command, environment, user=0):
        """A server process in it, which has said where it listens."""
        words = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]
        script = f"""
mkdir -p {self.path}/proc && mount -t proc proc {self.path}/proc || exit
exec chroot --userspec={user}:{user} {self.path} "$@"
"""
        running = servers.Process([*words, script, "sh", *command], environment)
        return running.start()


@needs_roots
def test_the_archive_runs_with_a_glibc_alone(packages, tmp_path):
    with tarfile.open(packages[".tar.gz"]) as archive:
        archive.extractall(tmp_path, filter="tar")
    (folder,) = tmp_path.iterdir()
    text = (folder / "README").read_text()
    stated = tuple(map(int, re.search(r"glibc of version (\d+)\.(\d+)", text).groups()))
    for file in (folder / "lib/brasa").iterdir():
        said = subprocess.run(["readelf", "-W", "--version-info", file], capture_output=True, text=True).stdout
        assert all(tuple(map(int, v)) <= stated for v in re.findall(r"\bGLIBC_(\d+)\.(\d+)", said)), file
    needed = subprocess.run(["ldd", servers.binary()], capture_output=True, text=True).stdout
    for name, path in re.findall(r"(?:(lib(?:c|m|pthread|dl|rt|resolv)\.so\S*) => )?(/\S+) \(0x", needed):
        if name or "ld-linux" in path:
            target = tmp_path / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(pathlib.Path(path).read_bytes())
            target.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    # The second line of what both README files say.
    (said,) = {block(file, "package").splitlines()[1] for file in ("README.md", "README.pt-BR.md")}
    command = [*f"/{said}".split(), "--port", "0", "--data", "/tmp/data"]
    assert command[0] == f"/{folder.name}/bin/brasa"
    running = Bare(tmp_path).serve(command, {"PATH": os.environ["PATH"]})
    try:
        done = requests.patch(f"{running.url}{PATH}", json={"fields": {}}, timeout=30)
        assert done.status_code == 200, done.text
        loaded = pathlib.Path(f"/proc/{running.process.pid}/maps").read_text()
        assert re.search(rf"{folder.name}/lib/brasa/librocksdb\.so", loaded)
    finally:
        running.kill()


@needs_roots
def test_the_image_is_one_and_runs(packages, tmp_path):
    layout = tmp_path / "layout"
    with tarfile.open(packages[".oci.tar"]) as archive:
        archive.extractall(layout, filter="data")
    assert json.loads((layout / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}

    def blob(descriptor):
        algorithm, digest = descriptor["digest"].split(":")
        data = (layout / "blobs" / algorithm / digest).read_bytes()
        assert algorithm == "sha256" and hashlib.sha256(data).hexdigest() == digest and len(data) == descriptor["size"]
        return data

    (described,) = json.loads((layout / "index.json").read_text())["manifests"]
    manifest = json.loads(blob(described))
    configuration = json.loads(blob(manifest["config"]))
    names = {described["digest"], manifest["config"]["digest"], *(layer["digest"] for layer in manifest["layers"])}
    assert {f"sha256:{file.name}" for file in (layout / "blobs/sha256").iterdir()} == names
    files = tmp_path / "files"
    for layer, diff in zip(manifest["layers"], configuration["rootfs"]["diff_ids"], strict=True):
        data = gzip.decompress(blob(layer))
        assert f"sha256:{hashlib.sha256(data).hexdigest()}" == diff
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(files, filter="tar", numeric_owner=True)

    run = configuration["config"]
    user = run["User"].split(":")[0]
    assert user.isdigit() and user != "0" and (files / "var/lib/brasa").stat().st_uid == int(user)
    variables = dict(entry.split("=", 1) for entry in run["Env"])
    assert variables["BRASA_LISTEN"] == "0.0.0.0"
    variables |= {"BRASA_LISTEN": "127.0.0.1", "BRASA_PORT": "0", "PATH": os.environ["PATH"]}
    running = Bare(files).serve([*run["Entrypoint"], *run["Cmd"]], variables, user)
    try:
        use(running.port, running.administrator_key)
        assert (files / "var/lib/brasa/store").stat().st_uid == int(user)
        running.process.send_signal(getattr(signal, run["StopSignal"]))
        assert running.process.wait(60) == 0
    finally:
        running.kill()


@pytest.mark.slow
def test_a_tool_for_registries_reads_the_image(packages, tmp_path):
    done = subprocess.run(
        ["skopeo", "copy", "--insecure-policy", f"oci-archive:{packages['.oci.tar']}", f"dir:{tmp_path / 'copy'}"],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@needs_roots
def test_a_clean_debian_takes_the_package_with_what_it_needs(packages, tmp_path_factory):
    base = tmp_path_factory.mktemp("debian") / "base"
    release = re.search(r"VERSION_CODENAME=(\S+)", pathlib.Path("/etc/os-release").read_text())[1]
    done = subprocess.run(
        ["debootstrap", "--variant=minbase", release, base], capture_output=True, text=True, timeout=1_800
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr
    clean = roots.Root(tmp_path_factory.mktemp("clean"), lower=base)
    try:
        for file in ("/etc/resolv.conf", "/etc/apt/apt.conf.d", "/etc/apt/sources.list", "/etc/apt/sources.list.d"):
            if os.path.exists(file):
                subprocess.run(["cp", "-rL", file, clean.path / file.lstrip("/")], check=False)
        variables = {"DEBIAN_FRONTEND": "noninteractive"}
        clean.run("apt-get", "update", environment=variables)
        deb = clean.copy(packages[".deb"])
        clean.run("apt-get", "install", "-y", "--no-install-recommends", deb, environment=variables)
        assert clean.run("brasa", "--version").stdout == servers.run("--version").stdout
        done = clean.run("brasa", "upgrade", "--check", "--data", "/var/lib/brasa", check=False)
        assert done.returncode == 1 and "There is no store at /var/lib/brasa/" in done.stderr
        clean.run("apt-get", "purge", "-y", "brasa", environment=variables)
        assert not (clean.path / "var/lib/brasa").exists()
    finally:
        clean.close()

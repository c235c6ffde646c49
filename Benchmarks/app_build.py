"""What the SDK costs an app to build: a clean debug build with Auth and Firestore, beside one with GRDB alone.

    python3 Benchmarks/app_build.py
    ... --runs 3

Prints a Markdown table. Both are packages that depend by URL, as apps do: one on this checkout as it is committed, one on
GRDB at the version that the SDK takes. They are fetched first; then each is built from nothing, in turn, `--runs` times,
and the medians count. Beside the time is the processor time, which other programs on the machine hardly change.
Standard library and `swift` only.
"""

import argparse
import pathlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [%s],
  targets: [.executableTarget(name: "App", dependencies: [%s])]
)
"""


class App:
    """A package of one program beside its build."""

    def __init__(self, directory, dependency, products, source):
        self.directory = directory
        (directory / "Sources" / "App").mkdir(parents=True)
        (directory / "Package.swift").write_text(MANIFEST % (dependency, products))
        (directory / "Sources" / "App" / "App.swift").write_text(source)
        self.swift("package", "resolve")

    def swift(self, *arguments):
        subprocess.run(["swift", *arguments, "--package-path", self.directory], check=True, capture_output=True)

    def build(self):
        """Seconds and processor seconds of a build from nothing."""
        for made in (self.directory / ".build").glob("*"):
            if made.name not in ("checkouts", "repositories", "workspace-state.json"):
                shutil.rmtree(made) if made.is_dir() and not made.is_symlink() else made.unlink()
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        self.swift("build")
        taken, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def pin(self, name):
        """Where a dependency was fetched from, and its version."""
        pins = json.loads((self.directory / "Package.resolved").read_text())["pins"]
        pin = next(pin for pin in pins if pin["identity"] == name)
        return pin["location"], pin["state"]["version"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="builds of each; the medians count")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ours = App(
            folder / "ours", f'.package(url: "{CHECKOUT.as_uri()}", revision: "{head()}")',
            '.product(name: "FirebaseAuth", package: "%s"), .product(name: "FirebaseFirestore", package: "%s")' % ((CHECKOUT.name,) * 2),
            'import FirebaseAuth\nimport FirebaseFirestore\n\nprint(Auth.self, Firestore.self)\n',
        )
        location, version = ours.pin("grdb.swift")
        grdb = App(
            folder / "grdb", f'.package(url: "{location}", exact: "{version}")',
            '.product(name: "GRDB", package: "GRDB.swift")', 'import GRDB\n\nprint(DatabaseQueue.self)\n',
        )
        builds = [(ours.build(), grdb.build()) for _ in range(options.runs)]
    rows = [[statistics.median(run[who][what] for run in builds) for who in (0, 1)] for what in (0, 1)]
    print(f"{os.cpu_count()} cores, {options.runs} builds of each, GRDB {version}\n")
    print("| | Auth and Firestore | GRDB alone | ratio |\n|---|---|---|---|")
    for name, (app, alone) in zip(("clean debug build, s", "processor time, s"), rows, strict=True):
        print(f"| {name} | {app:.1f} | {alone:.1f} | {app / alone:.2f} |")


def head():
    """The commit that is measured; what is not committed is not."""
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()

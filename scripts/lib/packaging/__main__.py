"""Makes the packages that scripts/package describes."""

import argparse
import os
import pathlib
import subprocess
import tempfile

import debian
import image
import tarball
from program import Program

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
MAKERS = {"deb": debian.make, "tarball": tarball.make, "image": image.make}


def main():
    options = parse()
    os.environ.setdefault("SOURCE_DATE_EPOCH", time_of_commit())
    os.umask(0o022)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.program, CHECKOUT, pathlib.Path(folder))
        for kind in [kind for kind in MAKERS if getattr(options, kind)] or MAKERS:
            made = MAKERS[kind](program, options)
            print(f"{made}  {made.stat().st_size:,} bytes")
    print(f"{program.version} ({program.commit or 'commit unknown'}), needs glibc {program.glibc} or later")


def parse():
    parser = argparse.ArgumentParser(prog="scripts/package")
    parser.add_argument("program", type=pathlib.Path)
    for kind in MAKERS:
        parser.add_argument(f"--{kind}", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=CHECKOUT / ".build" / "packages")
    parser.add_argument("--revision", default="1")
    parser.add_argument("--fast", action="store_true")
    return parser.parse_args()


def time_of_commit():
    """The time that files in packages have: the last commit's, so that two runs agree."""
    command = ["git", "-C", str(CHECKOUT), "log", "-1", "--format=%ct"]
    found = subprocess.run(command, capture_output=True, text=True)
    return found.stdout.strip() or "0"


main()

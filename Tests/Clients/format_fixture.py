"""Makes the fixture of a released version: a data directory that this version's program has written.

Run it once, when a version is released, and keep what it writes (Tests/Fixtures/formats) as it is for ever:

    BRASA_BINARY=.build/debug/brasa .venv/bin/python Tests/Clients/format_fixture.py
"""

import json
import pathlib
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from support import formats, server as servers  # noqa: E402

# What belongs to one start and not to the data.
DROPPED = {"control.sock", "LOCK", "LOG"}


def main():
    version = servers.run("--version").stdout.split()[0]
    archive = formats.FOLDER / f"{version}.tar.gz"
    if archive.exists():
        raise SystemExit(f"{archive} is there already: the fixture of a version is made once.")
    formats.FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        running = servers.Brasa(pathlib.Path(folder) / "data").start()
        try:
            formats.fill(running, folder)
            seen = formats.look(running)
        finally:
            assert running.stop() == 0, running.output
        with tarfile.open(archive, "w:gz") as made:
            made.add(running.data, arcname="data", filter=kept)
    (formats.FOLDER / f"{version}.json").write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n")
    print(archive, archive.stat().st_size, "bytes")


def kept(entry):
    name = pathlib.PurePath(entry.name).name
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return None if name in DROPPED or name.startswith("LOG.old") else entry


main()

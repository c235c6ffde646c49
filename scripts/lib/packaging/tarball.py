"""The archive for systems without Swift and without Debian's packages: every library but the glibc lies in it."""

import pathlib
import subprocess
import tempfile

from debian import PARTS
from files import Tree
from program import output, packed

README = """\
Brasa {version}{commit} for Linux on {architecture}

Needs a glibc of version {glibc} or later (as {systems} have), and nothing else: neither Swift nor RocksDB.
Start a server for development, with its data in ./brasa-data, on http://127.0.0.1:8080:

    bin/brasa serve --dev

bin/brasa is a link into lib/brasa, where the program finds its libraries; keep the two together, wherever they are.
share has man pages, completions, a unit for systemd and the licences.
"""
# The version of the glibc that systems have.
SYSTEMS = {
    "Debian 12": (2, 36), "Debian 13": (2, 41), "Ubuntu 22.04": (2, 35), "Ubuntu 24.04": (2, 39),
    "Fedora 37": (2, 36), "RHEL 9": (2, 34), "RHEL 10": (2, 39),
}


def make(program, options):
    """Makes the archive; its path."""
    name = f"brasa-{program.version}-linux-{program.architecture}"
    tree = Tree(program.time)
    tree.add(f"{name}/lib/brasa/brasa", program.file, 0o755)
    for library, path in program.bundled_libraries.items():
        tree.add(f"{name}/lib/brasa/{library}", beside_each_other(path))
    tree.link(f"{name}/bin/brasa", "../lib/brasa/brasa")
    for page, data in program.pages.items():
        tree.add(f"{name}/share/man/man1/{page}", data)
    for path, script in program.completions.items():
        tree.add(f"{name}/share/{path}", script)
    tree.add(f"{name}/share/systemd/brasa.service", PARTS / "brasa.service")
    tree.add(f"{name}/share/systemd/brasa.env", PARTS / "brasa.env")
    add_licences(tree, f"{name}/share/licences", program)
    tree.add(f"{name}/LICENSE", program.checkout / "LICENSE")
    tree.add(f"{name}/README", README.format(
        version=program.version, commit=f" ({program.commit})" if program.commit else "",
        architecture=program.architecture, glibc=program.glibc, systems=", ".join(systems(program)),
    ).encode())
    target = options.out / f"{name}.tar.gz"
    target.write_bytes(packed(tree.archive(), 0 if options.fast else 9))
    return target


def systems(program):
    """The systems that we know to have a glibc which is new enough."""
    needed = tuple(map(int, program.glibc.split(".")))
    return [system for system, version in SYSTEMS.items() if version >= needed]


def add_licences(tree, folder, program):
    """Adds the licences of what is in the program and of the libraries beside it."""
    tree.add(f"{folder}/third-party", program.licences().encode())
    for path in program.bundled_libraries.values():
        package = program.debian_packages.get(path)
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright")
        if package and text.exists():
            tree.add(f"{folder}/{package}", text)


def beside_each_other(path):
    """A library that looks for others in its own folder first."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "library"
        copy.write_bytes(path.read_bytes())
        copy.chmod(0o644)
        needed = subprocess.run(["patchelf", "--print-rpath", copy], capture_output=True, text=True)
        if "$ORIGIN" not in needed.stdout:
            output("patchelf", "--set-rpath", "$ORIGIN", copy)
        return copy.read_bytes()

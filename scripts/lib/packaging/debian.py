"""The Debian package."""

import email.utils
import hashlib
import pathlib
import re
import tempfile

from files import Tree
from program import output, packed

PARTS = pathlib.Path(__file__).with_name("debian")
MAINTAINER = "The Brasa project <maintainers@brasa.invalid>"
CONFFILES = ["/etc/brasa/brasa.env"]
# What the program needs beside libraries: its user is made by adduser, reports know time zones by tzdata.
NEEDS = ["adduser", "tzdata"]

CONTROL = """\
Package: brasa
Version: {version}
Section: database
Priority: optional
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: ca-certificates
Suggests: libpq5
Description: Firebase that you host yourself
 One program, one port, one data directory, to which Google's own unmodified
 Firebase clients talk: documents with listeners and security rules, accounts,
 files, messages, Remote Config and analytics, with a console in the browser.
 .
 The package runs it as a service of systemd under a user of its own, on
 127.0.0.1:8080 with its data in /var/lib/brasa.
"""

CHANGELOG = """\
brasa ({version}) unstable; urgency=medium

  * Version {upstream}; /usr/share/doc/brasa/changelog.gz tells what changed.

 -- {maintainer}  {date}
"""


def make(program, options):
    """Makes the package; its path."""
    version = f"{program.version}-{options.revision}"
    tree = contents(program, version)
    target = options.out / f"brasa_{version}_{program.architecture}.deb"
    with tempfile.TemporaryDirectory(dir=program.folder) as folder:
        root = pathlib.Path(folder)
        root.chmod(0o755)
        tree.write(root)
        control = root / "DEBIAN"
        control.mkdir()
        (control / "control").write_text(CONTROL.format(
            version=version, architecture=program.architecture, maintainer=MAINTAINER,
            kilobytes=sum(-(-len(entry[2]) // 1024) or 1 for entry in tree.entries.values()),
            depends=", ".join(dependencies(program) + NEEDS),
        ))
        (control / "conffiles").write_text("".join(f"{file}\n" for file in CONFFILES))
        (control / "md5sums").write_text(digests(tree))
        for script in ("postinst", "prerm", "postrm"):
            (control / script).write_bytes((PARTS / script).read_bytes())
            (control / script).chmod(0o755)
        speed = ["-Znone"] if options.fast else ["-Zxz", "-z6"]
        output("dpkg-deb", "--root-owner-group", "--uniform-compression", *speed, "--build", root, target)
    return target


def contents(program, version):
    """The files of the package."""
    tree = Tree(program.time)
    tree.add("usr/lib/brasa/brasa", program.file, 0o755)
    # Where the program looks for libraries first; there are none in a release.
    for name, path in program.private_libraries.items():
        tree.add(f"usr/lib/brasa/{name}", path)
    tree.link("usr/bin/brasa", "../lib/brasa/brasa")
    tree.add("lib/systemd/system/brasa.service", PARTS / "brasa.service")
    # A password of a store may be in it.
    tree.add("etc/brasa/brasa.env", PARTS / "brasa.env", 0o600)
    for name, page in program.pages.items():
        tree.add(f"usr/share/man/man1/{name}", page)
    for path, script in program.completions.items():
        tree.add(f"usr/share/{path}", script)
    documents = "usr/share/doc/brasa"
    tree.add(f"{documents}/copyright", copyright_file(program))
    tree.add(f"{documents}/third-party-licences.gz", packed(program.licences().encode()))
    tree.add(f"{documents}/changelog.gz", packed((program.checkout / "CHANGELOG.md").read_bytes()))
    entry = CHANGELOG.format(
        version=version, upstream=program.version, maintainer=MAINTAINER,
        date=email.utils.formatdate(program.time),
    )
    tree.add(f"{documents}/changelog.Debian.gz", packed(entry.encode()))
    return tree


def copyright_file(program):
    """The file of the package's licence, with the text of Apache 2.0 where Debian has it."""
    return (PARTS / "copyright").read_bytes()


def digests(tree):
    """The lines of md5sums, which dpkg --verify reads."""
    files = {path: entry[2] for path, entry in sorted(tree.entries.items()) if entry[0] == b"0"}
    kept = {path: data for path, data in files.items() if f"/{path}" not in CONFFILES}
    return "".join(f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, data in kept.items())


def dependencies(program):
    """The packages of Debian that bring the program's libraries, as dpkg-shlibdeps finds them."""
    with tempfile.TemporaryDirectory() as folder:
        control = pathlib.Path(folder) / "debian"
        control.mkdir()
        (control / "control").write_text("Source: brasa\n\nPackage: brasa\nArchitecture: any\n")
        private = program.private_libraries
        # They lie beside the program as in the package.
        for name, path in private.items():
            (pathlib.Path(folder) / name).write_bytes(path.read_bytes())
        (pathlib.Path(folder) / "brasa").write_bytes(program.file.read_bytes())
        files = [f"-e{name}" for name in ["brasa", *private]]
        said = output(
            "dpkg-shlibdeps", "-O", f"-l{folder}", "--ignore-missing-info", "--warnings=0", *files, cwd=folder
        )
    found = re.search(r"^shlibs:Depends=(.*)$", said, re.MULTILINE)
    if not found:
        raise SystemExit(f"dpkg-shlibdeps found no packages:\n{said}")
    return found[1].split(", ")

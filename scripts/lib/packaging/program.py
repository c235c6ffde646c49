"""The program that packages are made of: its version, its libraries, and the files that go with it."""

import functools
import gzip
import os
import pathlib
import re
import subprocess

import manual

# What every Linux with a glibc has, and what must fit the system's own loader.
GLIBC = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nss_\w+))\.so(\.|$)")
DEBIAN_ARCHITECTURES = {"X86-64": "amd64", "AArch64": "arm64"}
# Where a shell of Debian looks for completions.
COMPLETIONS = {
    "bash": "bash-completion/completions/brasa",
    "zsh": "zsh/vendor-completions/_brasa",
    "fish": "fish/vendor_completions.d/brasa.fish",
}


def output(*command, **options):
    """What a command writes; a failure shows what it complained of."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Program:
    """A program without its symbols, in a scratch folder."""

    def __init__(self, built, checkout, folder):
        self.built = built.resolve()
        self.checkout = checkout
        self.folder = folder
        self.file = folder / "brasa"
        output("strip", "-o", self.file, self.built)
        self.file.chmod(0o755)
        words = output(self.built, "--version").split()
        self.version = words[0]
        self.commit = words[1].strip("()") if len(words) > 1 else None
        machine = re.search(r"Machine:.*?(X86-64|AArch64)", output("readelf", "-h", self.file))
        if not machine:
            raise SystemExit(f"{built} is for a processor that packages are not made for.")
        self.architecture = DEBIAN_ARCHITECTURES[machine[1]]
        self.time = int(os.environ["SOURCE_DATE_EPOCH"])

    @functools.cached_property
    def libraries(self):
        """Every library that the program loads: its name, and the path where this system has it."""
        found = re.findall(r"^\s*(?:(\S+) => )?(/\S+) \(0x", output("ldd", self.built), re.MULTILINE)
        libraries = {name or pathlib.Path(path).name: pathlib.Path(path) for name, path in found}
        missing = re.findall(r"^\s*(\S+) => not found", output("ldd", self.built), re.MULTILINE)
        if missing:
            raise SystemExit(f"This system lacks libraries of the program: {' '.join(missing)}.")
        return dict(sorted(libraries.items()))

    @functools.cached_property
    def debian_packages(self):
        """The names of the Debian packages that bring the program's libraries, by the library's path."""
        forms = {}
        for path in self.libraries.values():
            real = pathlib.Path(os.path.realpath(path))
            for file in (path, real):
                forms.update({str(form): path for form in (file, f"/usr{file}", str(file).removeprefix("/usr"))})
        # It fails where it does not find all of them, which is what is asked.
        found = subprocess.run(["dpkg", "-S", *sorted(forms)], capture_output=True, text=True).stdout
        owned = (line.rsplit(": ", 1) for line in found.splitlines() if not line.startswith("diversion by "))
        return {forms[form]: owners.split(":")[0].split(",")[0] for owners, form in owned if form in forms}

    @functools.cached_property
    def private_libraries(self):
        """The libraries that no package of Debian brings, as Swift's own where they are not linked in."""
        return {name: path for name, path in self.libraries.items() if path not in self.debian_packages}

    @functools.cached_property
    def bundled_libraries(self):
        """All libraries but those of the glibc."""
        return {name: path for name, path in self.libraries.items() if not GLIBC.match(name)}

    @functools.cached_property
    def glibc(self):
        """The lowest version of the glibc that has every symbol which the program and its libraries use."""
        versions = {(2, 0)}
        for file in [self.built, *self.bundled_libraries.values()]:
            found = re.findall(r"\bGLIBC_(\d+)\.(\d+)", output("readelf", "-W", "--version-info", file))
            versions.update((int(major), int(minor)) for major, minor in found)
        return ".".join(map(str, max(versions)))

    @functools.cached_property
    def pages(self):
        """The man pages by file name, packed."""
        pages = manual.pages(output(self.built, "--experimental-dump-help"), self.version, self.time)
        return {name + ".gz": packed(text.encode()) for name, text in pages.items()}

    @functools.cached_property
    def completions(self):
        """The completions by their path below /usr/share."""
        made = {}
        for shell, path in COMPLETIONS.items():
            made[path] = output(self.built, "--generate-completion-script", shell).encode()
        return made

    def licences(self):
        """The licences of what is linked into the program, which the built tree has beside the sources."""
        checkouts = self.checkout / ".build" / "checkouts"
        texts = []
        for package in sorted(checkouts.iterdir()) if checkouts.is_dir() else []:
            for file in sorted(package.glob("LICENSE*")) + sorted(package.glob("NOTICE*")):
                if file.is_file():
                    texts.append(f"==== {package.name}: {file.name}\n\n{file.read_text(errors='replace').strip()}\n")
        if not texts:
            raise SystemExit(f"There are no licences of the libraries in {checkouts}. Build the tree first.")
        return "\n".join(texts)


def packed(data, level=9):
    """Bytes in the form of gzip, without a name or a time."""
    return gzip.compress(data, level, mtime=0)

"""The image for containers, as a file in the form of OCI: two layers, one of the system's parts and one of the program.

No engine is needed to make it. `podman load` and `docker load` read it, `skopeo` copies it to a registry.
"""

import hashlib
import json
import pathlib
import time

from files import Tree
from program import packed

# A number without a name on any host, so that Kubernetes sees that it is not root.
USER = 10001
MEDIA = "application/vnd.oci.image"
ACCOUNTS = {
    "etc/passwd": f"root:x:0:0:root:/:/sbin/nologin\nbrasa:x:{USER}:{USER}:Brasa:/var/lib/brasa:/sbin/nologin\n",
    "etc/group": f"root:x:0:\nbrasa:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def make(program, options):
    """Makes the image; its path."""
    blobs = Blobs()
    layers = [blobs.layer(system(program), options.fast), blobs.layer(program_files(program), options.fast)]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(program.time))
    configuration = blobs.add(described(program, layers, created), f"{MEDIA}.config.v1+json")
    manifest = blobs.add({
        "schemaVersion": 2,
        "mediaType": f"{MEDIA}.manifest.v1+json",
        "config": configuration,
        "layers": [layer["descriptor"] for layer in layers],
    }, f"{MEDIA}.manifest.v1+json")
    manifest["platform"] = {"architecture": program.architecture, "os": "linux"}
    manifest["annotations"] = {
        "org.opencontainers.image.ref.name": program.version,
        "io.containerd.image.name": f"localhost/brasa:{program.version}",
    }
    index = {"schemaVersion": 2, "mediaType": f"{MEDIA}.index.v1+json", "manifests": [manifest]}
    target = options.out / f"brasa-{program.version}-{program.architecture}.oci.tar"
    target.write_bytes(blobs.archive(program.time, index))
    return target


def system(program):
    """What the program needs of a system: the loader and libraries, certificates, time zones, and its user."""
    tree = Tree(program.time)
    for path in [path for name, path in program.libraries.items() if name not in program.private_libraries]:
        # The kernel runs the loader.
        tree.add(str(path).lstrip("/"), path, 0o755 if path.name.startswith("ld-") else 0o644)
    certificates = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
    if not certificates.exists():
        raise SystemExit("The image needs the certificates of authorities: apt-get install ca-certificates")
    tree.add("etc/ssl/certs/ca-certificates.crt", certificates)
    zones = pathlib.Path("/usr/share/zoneinfo")
    for file in sorted(zones.rglob("*")):
        path = file.relative_to("/")
        if file.is_symlink() and not file.readlink().is_absolute():
            tree.link(str(path), str(file.readlink()))
        elif file.is_file() and file.relative_to(zones).parts[0] not in ("right", "posix"):
            tree.add(str(path), file)
    for path, text in ACCOUNTS.items():
        tree.add(path, text.encode())
    tree.directory("tmp", 0o1777)
    tree.directory("var/lib/brasa", 0o700, owner=USER)
    return tree


def program_files(program):
    """The program, its licence and those of what is in it."""
    tree = Tree(program.time)
    tree.add("usr/lib/brasa/brasa", program.file, 0o755)
    for name, path in program.private_libraries.items():
        tree.add(f"usr/lib/brasa/{name}", path)
    tree.link("usr/bin/brasa", "../lib/brasa/brasa")
    tree.add("usr/share/doc/brasa/LICENSE", program.checkout / "LICENSE")
    tree.add("usr/share/doc/brasa/third-party-licences", program.licences().encode())
    return tree


def described(program, layers, created):
    """The image's configuration: how it is started, and what its layers are."""
    labels = {
        "org.opencontainers.image.title": "Brasa",
        "org.opencontainers.image.version": program.version,
        "org.opencontainers.image.licenses": "Apache-2.0",
    }
    if program.commit:
        labels["org.opencontainers.image.revision"] = program.commit
    return {
        "created": created,
        "architecture": program.architecture,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"8080/tcp": {}},
            # A container's loopback is reached by nobody else.
            "Env": ["PATH=/usr/bin", "BRASA_DATA=/var/lib/brasa", "BRASA_LISTEN=0.0.0.0"],
            "Entrypoint": ["/usr/bin/brasa"],
            "Cmd": ["serve"],
            "Volumes": {"/var/lib/brasa": {}},
            "WorkingDir": "/var/lib/brasa",
            "Labels": labels,
            "StopSignal": "SIGTERM",
        },
        "rootfs": {"type": "layers", "diff_ids": [layer["diff"] for layer in layers]},
        "history": [
            {"created": created, "created_by": "scripts/package", "comment": comment}
            for comment in ("libraries, certificates and time zones", "brasa")
        ],
    }


class Blobs:
    """The parts of an image, each named by its digest."""

    def __init__(self):
        self.contents = {}

    def add(self, content, media):
        """Adds bytes, or a value as JSON; its descriptor."""
        data = content if isinstance(content, bytes) else json.dumps(content, sort_keys=True).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.contents[digest] = data
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(data)}

    def layer(self, tree, is_fast):
        """Adds a layer; its descriptor, and the digest of its archive before it is packed."""
        archive = tree.archive()
        descriptor = self.add(packed(archive, 0 if is_fast else 9), f"{MEDIA}.layer.v1.tar+gzip")
        return {"descriptor": descriptor, "diff": f"sha256:{hashlib.sha256(archive).hexdigest()}"}

    def archive(self, seconds, index):
        """The bytes of the image's file."""
        tree = Tree(seconds)
        tree.add("oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}).encode())
        tree.add("index.json", json.dumps(index, sort_keys=True).encode())
        for digest, data in self.contents.items():
            tree.add(f"blobs/sha256/{digest}", data)
        return tree.archive()

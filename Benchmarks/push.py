"""What handing messages to push services costs: APNs and Web Push, against stand-ins on this machine.

    swift build -c release --product push-stand-in
    .venv/bin/python Benchmarks/push.py --programs .build/release --count 100000

The transport is the server's own, in a process of its own on one core (`taskset`, where there is one); the stand-in, which
checks what Apple checks and decrypts nothing, has another. Beside what a second brings, the processor's time says what one
core could do. Needs `cryptography`, for the key.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

TEAM, KEY, BUNDLE = "TEAM567890", "ABC123DEFG", "com.example.shop"


def pinned(core, command):
    return ["taskset", "-c", str(core), *command] if shutil.which("taskset") else command


def key_files(directory):
    key = ec.generate_private_key(ec.SECP256R1())
    private, public = directory / "key.p8", directory / "public.pem"
    private.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ))
    public.write_bytes(key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    ))
    return private, public


def measure(program, stand_in, drive, options):
    """Starts the stand-in and drives a transport against it; gives the figures."""
    serving = subprocess.Popen(
        pinned(1, [program, *stand_in]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    said = json.loads(serving.stdout.readline())
    command = [program, drive[0], said["url"], said["authority"], *drive[1:], str(options.count), str(options.flight)]
    done = subprocess.run(pinned(0, command), capture_output=True, text=True, check=True)
    serving.stdin.close()
    serving.wait()
    return json.loads(done.stdout)


def report(title, figures):
    sent = figures["count"] - figures["failed"]
    print(
        f"{title}: {sent / figures['seconds']:.0f}/s, {sent / figures['processorSeconds']:.0f} a second of processor time, "
        f"{figures['failed']} not handed over"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=".build/release", help="where push-stand-in is")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--flight", type=int, default=256, help="messages under way at a time")
    options = parser.parse_args()
    program = str(pathlib.Path(options.programs) / "push-stand-in")
    with tempfile.TemporaryDirectory() as directory:
        private, public = key_files(pathlib.Path(directory))
        report("APNs", measure(
            program, ["apns", TEAM, KEY, BUNDLE, str(public), "--forgetful"],
            ["drive-apns", TEAM, KEY, BUNDLE, str(private)], options,
        ))
    report("Web Push", measure(program, ["web"], ["drive-web"], options))


if __name__ == "__main__":
    main()

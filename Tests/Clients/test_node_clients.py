"""Google's clients for Node, where they are installed; their requests are sent byte for byte everywhere (`test_storage_requests.py`)."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from support import server as servers
from support.identity import Identity

pytestmark = pytest.mark.brasa_only

SCRIPTS = pathlib.Path(__file__).parent / "node"
SIZE = 3 * 262_144 + 7


def packages(program):
    """Where Node looks for packages: in the directory that the operator names, in NODE_PATH and beside Node."""
    named = os.environ.get("BRASA_NODE_PACKAGES")
    return [
        *([named, f"{named}/node_modules"] if named else []), *filter(None, os.environ.get("NODE_PATH", "").split(os.pathsep)),
        str(pathlib.Path(program).resolve().parents[1] / "lib" / "node_modules"),
    ]


class Node:
    """Runs steps of a script that needs a package; the test is skipped loudly where that is not installed."""

    def __init__(self, home, script, package, **environment):
        program = shutil.which("node")
        if program is None:
            pytest.skip("NODE IS NOT INSTALLED: Google's clients for it are not tested, only their recorded requests. Install node.")
        self.home, self.command = home, [program, SCRIPTS / script]
        self.environment = servers.clean_environment({
            "NODE_PATH": os.pathsep.join(packages(program)), "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
            # They ask whether they run on a machine of Google's, and wait for an answer.
            "METADATA_SERVER_DETECTION": "none", **environment,
        })
        asked = subprocess.run(
            [program, "-e", "require.resolve(process.argv[1])", package], env=self.environment, cwd=home, capture_output=True, timeout=60)
        if asked.returncode != 0:
            name = "/".join(package.split("/")[:2]) if package.startswith("@") else package.split("/")[0]
            pytest.skip(f"{name.upper()} IS NOT INSTALLED: it is not tested, only its recorded requests. Run `npm install {name}` in a "
                        "directory, and name that in BRASA_NODE_PACKAGES.")

    def __call__(self, step):
        done = subprocess.run(
            [*self.command, step], env=self.environment, cwd=self.home, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def admin(server, project, tmp_path):
    Identity(server, project)
    return Node(
        tmp_path, "admin.js", "firebase-admin/app", GCLOUD_PROJECT=project,
        FIREBASE_AUTH_EMULATOR_HOST=server.host, FIRESTORE_EMULATOR_HOST=server.host,
    )


@pytest.fixture
def storage(server, project, tmp_path):
    return Node(
        tmp_path, "storage.js", "@google-cloud/storage", SERVER=server.url, PROJECT=project, BUCKET=f"{project}-data")


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.js")), ids=lambda path: path.name)
def test_the_scripts_are_well_formed(script):
    if shutil.which("node") is None:
        pytest.skip("needs Node")
    done = subprocess.run(["node", "--check", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_firebase_admin_makes_and_changes_users(admin):
    assert admin("users") == {
        "found": [True, "Ana", True, {"level": 3}], "taken": "auth/email-already-exists", "listed": ["ana@example.com"],
        "gone": "auth/user-not-found",
    }


def test_firebase_admin_makes_and_verifies_tokens(admin, project):
    expected = ["bia", project, True]
    assert admin("tokens") == {
        "claims": expected, "cookie": expected, "forged": "auth/argument-error", "disabled": "auth/user-disabled",
    }


def test_firebase_admin_writes_and_reads_documents(admin):
    assert admin("documents") == {
        "at": True, "bytes": [0, 255], "nested": {"list": [1, 2.5, "é🔥", None, True], "more": 1}, "tags": ["a", "b"],
        "visits": 3, "missing": False, "taken": 6,
    }


def test_firebase_admin_runs_transactions(admin):
    assert admin("transactions") == {"counts": [1, 2, 3], "count": 3, "found": ["2", "1"]}


def test_firebase_admin_listens(admin):
    assert admin("listener") == [[["added", "a", 1]], [["modified", "a", 2]]]


def test_storage_uploads_by_default_small_and_in_chunks(storage):
    assert storage("uploads") == {
        "default": [True, SIZE, "text/plain"], "custom": {"a": "1"}, "empty": [True, 0, "text/plain"],
        "small": [True, 5, "text/plain"], "chunks": [True, SIZE, "image/png"], "local": [True, 5, "text/plain"],
        "stream": [True, SIZE + 5, "image/png"],
    }


def test_storage_reads_copies_and_deletes(storage):
    assert storage("files") == {
        "part": "234", "cacheControl": "no-store", "found": ["a/b.txt", "a/c.txt"], "exists": False, "missing": 404, "taken": 412,
    }


def test_storage_signs_addresses_in_development(storage):
    signed = storage("signed")
    for version in ("v4", "v2"):
        assert signed[version][:3] == [200, 200, version]


def test_storage_signs_addresses_in_production(production, tmp_path):
    bucket = f"{servers.PROJECT}.appspot.com"
    key = tmp_path / "key.json"
    servers.run(
        "keys", "create", "node", "--role", "admin", "--project", servers.PROJECT, "--out", key, "--data", production.data)
    storage = Node(
        tmp_path, "storage.js", "@google-cloud/storage", SERVER=production.url, PROJECT=servers.PROJECT, BUCKET=bucket,
        KEY_FILE=str(key), NODE_EXTRA_CA_CERTS=str(production.authority),
    )
    assert storage("signed") == {version: [200, 200, version, 403] for version in ("v4", "v2")}

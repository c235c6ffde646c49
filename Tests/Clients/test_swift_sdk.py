"""The Swift SDK in production: two of its processes and Google's Python client see each other's changes, over TLS, with
accounts and under rules."""

import json
import os
import queue
import shutil
import subprocess
import threading

import pytest
from google.cloud import firestore

from support import rules, server as servers
from support.users import PASSWORD, Production, UserClient

pytestmark = pytest.mark.brasa_only

NAMES = servers.CHECKOUT / "Tests" / "Fixtures" / "sdk-names"
MODULES = servers.CHECKOUT / ".build" / "debug" / "Modules"
# So many of Google's names each module has; the numbers may only grow.
LEAST = {
    "FirebaseAnalytics": 136, "FirebaseAuth": 439, "FirebaseCore": 56, "FirebaseFirestore": 469, "FirebaseFunctions": 43,
    "FirebaseInstallations": 32, "FirebaseMessaging": 74, "FirebaseRemoteConfig": 120, "FirebaseSharedSwift": 66,
    "FirebaseStorage": 162,
}
PROGRAM = servers.CHECKOUT / ".build" / "debug" / "sdk-app"
# Swift's Foundation on Linux trusts the system's authorities alone: the process sees ours in their place.
TRUSTING = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@"'
NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]


@pytest.fixture(scope="module")
def deployment(production):
    made = Production(production)
    made.deploy(rules.PRODUCTS)
    yield made


@pytest.fixture
def namespaces(authority):
    done = subprocess.run([*NAMESPACE, "sh", "-c", TRUSTING, authority, "true"], capture_output=True)
    if done.returncode != 0:
        pytest.skip("this system gives no mount namespaces: " + done.stderr.decode())


class App:
    """A process of the app; its state outlives it in a directory."""

    def __init__(self, deployment, state, email):
        environment = servers.clean_environment({
            "BRASA_PROJECT": deployment.project,
            "BRASA_HOST": f"https://{deployment.host}",
            "XDG_DATA_HOME": str(state),
        })
        self.process = subprocess.Popen(
            [*NAMESPACE, "sh", "-c", TRUSTING, deployment.server.authority, PROGRAM, email, PASSWORD],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        self.lines = queue.Queue()
        self.seen = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def told(self, passes):
        """The next line that passes."""
        while True:
            try:
                line = self.lines.get(timeout=120)
            except queue.Empty:
                line = None
            assert line is not None, f"told {self.seen}"
            self.seen.append(line)
            if passes(line):
                return line

    def shows(self, products):
        """Waits until the app shows these products, as the server has them."""
        synced = {"products": products, "isFromCache": False, "hasPendingWrites": False}
        self.told(lambda line: line == synced)

    def do(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def start(deployment, namespaces, tmp_path):
    made = []

    def start(name, email="ana@example.com"):
        made.append(App(deployment, tmp_path / name, email))
        return made[-1]

    yield start
    for app in made:
        app.kill()


def test_apps_and_googles_client_see_each_other(deployment, start):
    ana = UserClient(deployment, "ana")
    own = ana.collection("products").where(filter=firestore.FieldFilter("userId", "==", ana.uid))
    heard = queue.Queue()
    watch = own.on_snapshot(lambda snapshots, *_: heard.put({s.id: s.get("name") for s in snapshots}))
    first, second = start("first"), start("second")
    first.shows({})
    second.shows({})

    ana.collection("products").document("p").set({"userId": ana.uid, "name": "Python"})
    first.shows({"p": "Python"})
    second.shows({"p": "Python"})

    first.do("set", "q", "Swift")
    pending = first.told(lambda line: "q" in line.get("products", {}))
    assert pending["hasPendingWrites"]
    second.shows({"p": "Python", "q": "Swift"})
    while heard.get(timeout=120) != {"p": "Python", "q": "Swift"}:
        pass

    second.do("delete", "p")
    first.shows({"q": "Swift"})
    while heard.get(timeout=120) != {"q": "Swift"}:
        pass

    # Whoever is denied sees the write and its end; nobody else sees anything.
    second.do("give", "q", "stolen")
    assert second.told(lambda line: "failed" in line) == {"failed": "q", "code": 7}
    second.shows({"q": "Swift"})
    assert ana.collection("products").document("q").get().get("name") == "Swift"

    # What happens while a process is dead is there when it comes back, behind what it had.
    second.kill()
    first.do("set", "r", "later")
    first.told(lambda line: line == {"written": "r"})
    second = start("second")
    assert second.told(lambda line: "products" in line) == {
        "products": {"q": "Swift"}, "isFromCache": True, "hasPendingWrites": False,
    }
    second.shows({"q": "Swift", "r": "later"})
    watch.unsubscribe()
    ana.close()


def test_a_right_that_ends_ends_the_listener(deployment, start):
    bob = UserClient(deployment, "bob")
    app = start("bob", "bob@example.com")
    app.shows({})
    bob.collection("products").document("b").set({"userId": bob.uid, "name": "Bob's"})
    app.shows({"b": "Bob's"})
    deployment.deploy(rules.service("match /nothing/{id} { allow read; }"))
    assert app.told(lambda line: "failed" in line) == {"failed": "listen", "code": 7}
    app.do("set", "b", "more")
    assert app.told(lambda line: "failed" in line) == {"failed": "b", "code": 7}
    deployment.deploy(rules.PRODUCTS)
    bob.close()


def listed(path):
    """The names of a list, with the path of each from its module; those that are not to be there have a mark."""
    above = ""
    for line in path.read_text().splitlines():
        if line and not line[0].isspace():
            above = "" if line == "-" else line.rstrip(":") + "."
            if line != "-" and not line.endswith(":"):
                yield line
            continue
        for name in line.split():
            mark, name = ("!", name[1:]) if name.startswith("!") else ("", name)
            yield mark + above + name.removesuffix("+")
            if name.endswith(")+"):
                yield mark + above + name[:-2] + "completion:)"


def symbols(module, directory):
    """The public names of one of our modules, by its symbol graphs."""
    maps = [*servers.CHECKOUT.glob("Sources/Base/*/module.modulemap"),
            *MODULES.parent.glob("CChecksum.build/module.modulemap"),
            *servers.CHECKOUT.glob(".build/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap")]
    target = json.loads(subprocess.run(["swift", "-print-target-info"], capture_output=True, check=True).stdout)
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, "-I", MODULES, "-output-dir", directory,
         "-target", target["target"]["unversionedTriple"], "-minimum-access-level", "public",
         *(part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}"))],
        check=True, capture_output=True,
    )
    return {
        ".".join(symbol["pathComponents"])
        for path in directory.glob(f"{module}*.symbols.json") for symbol in json.loads(path.read_text())["symbols"]
    }


@pytest.mark.parametrize("module", sorted(path.stem for path in NAMES.glob("*.txt")))
def test_a_module_has_the_names_of_googles(module, tmp_path):
    if shutil.which("swift") is None or not (MODULES / f"{module}.swiftmodule").exists():
        pytest.skip(f"there is no Swift, or {module} is not built")
    ours = symbols(module, tmp_path)
    names = list(listed(NAMES / f"{module}.txt"))
    assert [name for name in names if name[0] != "!" and name not in ours] == []
    assert [name for name in names if name[0] == "!" and name[1:] in ours] == []


def test_no_list_of_names_shrinks():
    counts = {path.stem: sum(name[0] != "!" for name in listed(path)) for path in NAMES.glob("*.txt")}
    assert counts.keys() == LEAST.keys()
    assert {module: count for module, count in counts.items() if count < LEAST[module]} == {}

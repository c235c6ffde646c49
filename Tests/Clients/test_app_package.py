"""An app that depends on Brasa by URL fetches and builds the SDK, and nothing of the server."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from support import samples
from support import server as servers

pytestmark = [pytest.mark.brasa_only, pytest.mark.slow]

FIXTURE = servers.CHECKOUT / "Tests" / "Fixtures" / "App"
# What an app checks out; the sources of the server come with it. A file that is much larger than others is the usual
# reason for more.
CHECKOUT_BYTES = 15_000_000
FILE_BYTES = 200_000
# What the SDK may bring along.
DEPENDENCIES = {"GRDB.swift"}


def git(directory, *arguments):
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.com"]
    subprocess.run(["git", *identity, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """The files of this checkout as a repository of one commit."""
    copy = tmp_path_factory.mktemp("repository") / "brasa"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=servers.CHECKOUT, check=True, capture_output=True, text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        source = servers.CHECKOUT / name
        if source.exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy / name, follow_symlinks=False)
    git(copy, "init", "-q", "-b", "main")
    git(copy, "add", "-A")
    git(copy, "commit", "-q", "-m", "all")
    return copy


class App:
    """The fixture beside its build."""

    def __init__(self, directory, repository):
        self.directory = directory
        self.environment = {**os.environ, "BRASA_PACKAGE_URL": repository.as_uri()}

    def swift(self, *arguments):
        done = subprocess.run(
            ["swift", *arguments, "--package-path", self.directory, "--cache-path",
             self.directory / "cache"],
            env=self.environment, capture_output=True, text=True, timeout=900,
        )
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
        return done.stdout


@pytest.fixture(scope="module")
def app(tmp_path_factory, repository):
    directory = tmp_path_factory.mktemp("app") / "app"
    shutil.copytree(FIXTURE, directory)
    shutil.copytree(directory / "Sources" / "Use", directory / "Sources" / "Use5")
    (directory / "Sources" / "Samples").mkdir()
    for number, page in enumerate(samples.pages()):
        target = directory / "Sources" / "Samples" / f"Sample{number}.swift"
        target.write_text(samples.program(page, number))
    made = App(directory, repository)
    made.swift("package", "resolve")
    return made


def test_nothing_else_is_fetched(app):
    pins = json.loads((app.directory / "Package.resolved").read_text())["pins"]
    assert {pin["identity"] for pin in pins} == {"brasa"} | {name.lower() for name in DEPENDENCIES}
    fetched = {path.name for path in (app.directory / ".build" / "checkouts").iterdir()}
    assert fetched == {"brasa"} | DEPENDENCIES


def test_the_checkout_is_small(app):
    checkout = app.directory / ".build" / "checkouts" / "brasa"
    files = (path for path in checkout.rglob("*") if path.is_file() and ".git" not in path.parts)
    sizes = {str(path.relative_to(checkout)): path.stat().st_size for path in files}
    assert not {name: size for name, size in sizes.items() if size > FILE_BYTES}
    assert sum(sizes.values()) < CHECKOUT_BYTES, sum(sizes.values())


def test_it_builds_in_both_language_modes_and_runs(app):
    app.swift("build")
    built = pathlib.Path(app.swift("build", "--show-bin-path").strip())
    modules = {path.stem for path in built.glob("Modules/*.swiftmodule")}
    assert {"FirebaseCore", "FirebaseAuth", "FirebaseFirestore", "FirebaseStorage"} <= modules
    assert {"Use", "Use5", "Samples"} <= modules
    servers_own = {"Gateway", "DocumentStore", "KeyValueRocksDB", "NIOCore", "Hummingbird"}
    assert not modules & servers_own
    environment = servers.clean_environment(
        {"BRASA_PROJECT": "shop", "BRASA_HOST": "localhost:8080", "XDG_DATA_HOME": str(built)}
    )
    output = subprocess.run(
        [built / "App"], env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert output == (
        'project=shop signedIn=false path=people/ana '
        'fields=["createdAt", "name", "nickname"] ["createdAt", "name", "nickname"]\n'
    )


@pytest.mark.parametrize("platform, name", [
    ("ios", "GoogleService-Info.plist"), ("linux", "firebase-config.json"),
])
def test_the_file_of_brasa_apps_is_enough(app, tmp_path, platform, name):
    app.swift("build")
    built = pathlib.Path(app.swift("build", "--show-bin-path").strip())
    server = servers.Brasa(tmp_path / "data").start()
    server.stop()
    options = ["--project", "shop-by-file", "--data", server.data]
    bundle = ["--bundle-id", "com.example.shop"] if platform == "ios" else []
    made = servers.run("apps", "create", platform, *bundle, *options).stdout.strip()
    origin = ["--origin", "https://db.example.com"]
    servers.run("apps", "config", made, *origin, "--out", built / name, *options)
    try:
        output = subprocess.run(
            [built / "App"], env=servers.clean_environment({"XDG_DATA_HOME": str(tmp_path)}),
            check=True, capture_output=True, text=True,
        ).stdout
    finally:
        (built / name).unlink()
    assert output.startswith("project=shop-by-file ")


def test_without_options_it_says_what_is_missing(app):
    app.swift("build")
    built = pathlib.Path(app.swift("build", "--show-bin-path").strip())
    done = subprocess.run(
        [built / "App"], env=servers.clean_environment(), capture_output=True, text=True
    )
    assert done.returncode != 0 and "BRASA_PROJECT" in done.stderr

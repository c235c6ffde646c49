"""The servers and clients that tests ask for.

One development server serves the whole run. Each test works in a project of its own, so tests
neither see each other nor depend on their order.
"""

import itertools
import os
import re
import shutil
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

from support import clients, cluster, postgres, rest, rpc, secrets, server as servers  # noqa: E402

_numbers = itertools.count(1)

# The files that take longest, the longest first. Several processes begin with them, so that none is left with a long one
# while the others have nothing to do.
LONG = [f"test_{name}.py" for name in (
    "package", "console_access", "functions", "console_experiments", "files_transfer", "console_documents", "cluster_primary",
    "book_console_data", "console_data", "console_lock", "messaging", "storage", "console_first_steps", "analytics_oracle",
    "console_words", "rules_work", "console_people", "console_interrupted", "console_config", "storage_tools", "watch_oracle",
    "firestore_admin", "auth_limits", "storage_command", "emulator_folder", "book_console", "console_messages",
    "firebase_cli_functions", "cluster_passing", "storage_s3", "console_owners", "failed_syncs", "failed_syncs_products",
    "transfer_round_trip", "docs_site", "remote_config", "backup_faults",
)]


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the slow tests too")


def pytest_collection_modifyitems(config, items):
    turn = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: turn.get(item.path.name, len(LONG)))
    emulator = servers.TARGET == "emulator"
    for item in items:
        if item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="slow: runs with --slow"))
        alone = item.get_closest_marker("one_process")
        if alone and os.environ.get("BRASA_TEST_STORE") == "cluster":
            item.add_marker(pytest.mark.skip(reason=f"two processes: {alone.args[0]}"))
        if emulator and item.get_closest_marker("brasa_only"):
            item.add_marker(pytest.mark.skip(reason="needs our program"))
        differs = item.get_closest_marker("emulator_differs")
        if emulator and differs:
            reason = differs.args[0] if differs.args else "differs"
            item.add_marker(pytest.mark.xfail(reason=f"emulator: {reason}", strict=False))


@pytest.fixture(scope="session", autouse=True)
def logs_without_secrets():
    """No password, token, key or code of the run is in what any server wrote."""
    yield
    found = secrets.leaks(servers.Process.log)
    assert not found, "secrets in the servers' logs:\n" + "\n".join(f"{w}: {l}" for w, l in found[:20])


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The development server of this run.

    With `BRASA_TEST_STORE=postgres` its store is in PostgreSQL, with `cluster` it is two nodes on one, behind a proxy.
    """
    if os.environ.get("BRASA_TEST_STORE") == "cluster":
        together = cluster.Cluster(tmp_path_factory.mktemp("cluster"), candidates=1).start()
        yield together
        was_running = together.is_running
        code = together.stop()
        together.close()
        assert was_running, f"a node died during the run:\n{together.output[-4000:]}"
        assert code == 0, f"exit code {code} on SIGTERM:\n{together.output[-4000:]}"
        return
    store = postgres.Postgres() if os.environ.get("BRASA_TEST_STORE") == "postgres" else None
    if servers.TARGET == "emulator":
        running = servers.Emulator()
    else:
        program = servers.binary()
        if not program.exists():
            pytest.exit(f"{program} is missing: swift build, or set BRASA_BINARY", returncode=4)
        location = {"BRASA_STORE": store.address} if store else None
        running = servers.Brasa(tmp_path_factory.mktemp("data"), environment=location)
    running.start()
    yield running
    was_running = running.is_running
    code = running.stop()
    if store:
        store.close()
    if servers.TARGET != "emulator":
        assert was_running, f"the server died during the run:\n{running.output[-4000:]}"
        assert code == 0, f"exit code {code} on SIGTERM:\n{running.output[-4000:]}"


@pytest.fixture(scope="module")
def own_server(tmp_path_factory):
    """A development server of the module's own, whose log, jobs and counts are those of its tests."""
    running = servers.Brasa(tmp_path_factory.mktemp("own") / "data").start()
    yield running
    assert running.is_running, f"the server died during the tests:\n{running.output[-4000:]}"
    running.kill()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """A local authority and a certificate, made by our own command."""
    directory = tmp_path_factory.mktemp("certificates")
    servers.run("certs", "--directory", directory)
    return directory


@pytest.fixture(scope="session")
def authority(certificates):
    return certificates / "authority.pem"


@pytest.fixture(scope="module")
def push_service(tmp_path_factory):
    """A browsers' push service for the tests of one file."""
    from support import push

    made = push.WebPushService(tmp_path_factory.mktemp("push-service"))
    yield made
    made.close()


@pytest.fixture
def project(request):
    """A project id that no other test uses."""
    words = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.lower().removeprefix("test_"))
    return f"t-{words[:18].strip('-')}-{os.getpid()}-{next(_numbers)}"


@pytest.fixture
def client(server, project):
    """Google's client on the default database of the test's project."""
    made = clients.connect(server, project)
    yield made
    made.close()


@pytest.fixture
def calls(server):
    """The RPCs without a client's checks."""
    made = rpc.Calls(server.host)
    yield made
    made.close()


@pytest.fixture
def names(project):
    """The resource names of the test's default database."""
    return rpc.Names(project)


@pytest.fixture
def http(server, project):
    """The REST surface of the test's default database."""
    return rest.Rest(server, project)


@pytest.fixture(scope="module")
def production(tmp_path_factory, certificates):
    """A production server of the module's own, over TLS; its project is `servers.PROJECT`."""
    running = servers.Brasa.production(
        tmp_path_factory.mktemp("production") / "data",
        certificates,
        environment={"BRASA_PROJECT": servers.PROJECT},
    ).start()
    assert running.scheme == "https"
    yield running
    running.kill()


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Two nodes on one PostgreSQL."""
    made = cluster.Cluster(tmp_path_factory.mktemp("cluster")).start()
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser():
    """Chromium without a window; the package comes with whoever asks for it."""
    from support import browser as browsers

    if not shutil.which("chromedriver"):
        pytest.skip("needs Chromium and its driver")
    made = browsers.Browser()
    yield made
    made.close()


@pytest.fixture
def console(browser, server, project):
    """A tab of the development server's console, whose policy nothing may violate."""
    browser.show_as(1280, 900)
    yield from console_tab(browser, server, project)


@pytest.fixture
def production_console(browser, production):
    """A tab of the production server's console, in which nobody has signed in."""
    browser.show_as(1280, 800)
    browser.driver.delete_all_cookies()
    yield from console_tab(browser, production, servers.PROJECT)


def console_tab(browser, server, project):
    from support.console import Console

    browser.complaints()
    made = Console(browser, server, project)
    yield made
    assert made.violations() == []

"""Sites of several nodes: each serves the newest release, whichever took it, and the files of any size."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from support import cluster, postgres, programs, server as servers
from support.sites import FILES, Site

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]
# Larger than what is kept beside its record, and than one part of it in the store.
LARGE = os.urandom(700_000)


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    made = cluster.Cluster(tmp_path_factory.mktemp("sites"), candidates=1).start()
    yield made
    made.close()


def test_each_node_serves_what_any_node_was_given(together, project):
    name = project[:40].rstrip("-")
    first, second = Site(together.nodes[0], name), Site(together.nodes[1], name)
    # Each deployment is at once there for a request that follows it, at the other node, too.
    for number, (own, other) in enumerate([(first, second), (second, first), (first, second)]):
        files = FILES | {"/index.html": f"release {number}".encode(), "/large.bin": LARGE}
        own.deploy(files)
        assert len(own.uploaded) == (len(files) if number == 0 else 1)
        for site in (other, own):
            assert site.get("/").content == f"release {number}".encode()
            assert site.get("/large.bin").content == LARGE
            part = site.get("/large.bin", Range="bytes=262100-524400")
            assert (part.status_code, part.content) == (206, LARGE[262_100:524_401])
            assert site.get("/nothing").content == b"not here"
    releases = second.send("GET", f"{second.root}/channels/live/releases")["releases"]
    assert len(releases) == 3
    servers.run("hosting", "rollback", "--project", name, "--data", together.nodes[1].data)
    assert first.get("/").content == b"release 1" and second.get("/").content == b"release 1"
    # A preview of one node is the other's, and ends for both.
    host = servers.run("hosting", "channels", "open", "next", "--project", name, "--data", together.nodes[0].data).stdout.split()[0]
    first.deploy(FILES, channel="next")
    assert second.get("/", host=f"{host}:{second.server.port}").content == FILES["/index.html"]
    servers.run("hosting", "channels", "delete", "next", "--project", name, "--data", together.nodes[0].data)
    assert second.get("/", host=f"{host}:{second.server.port}").status_code == 421


def test_two_nodes_that_deploy_at_once_both_end_well(together, project):
    sites = [Site(node, f"{project[:36].rstrip('-')}") for node in together.nodes]
    with ThreadPoolExecutor(2) as pool:
        for number in range(3):
            done = [pool.submit(site.deploy, {"/index.html": f"{number} of {at}".encode(), "/same": b"same"}) for at, site in enumerate(sites)]
            [one.result() for one in done]
            shown = {site.get("/").content for site in sites}
            assert len(shown) == 1 and shown.pop().decode() in (f"{number} of 0", f"{number} of 1")
            assert all(site.get("/same").content == b"same" for site in sites)


@pytest.mark.slow
def test_a_site_outlives_every_node_and_the_machine_that_took_it(tmp_path):
    """A node that is killed, a data directory that is gone, and a store that one server had before."""
    database = postgres.Postgres()
    # Before there is a cluster its larger files are in the store, too.
    alone = servers.Brasa(tmp_path / "alone", environment={"BRASA_STORE": database.address}).start()
    Site(alone, "shop").deploy(FILES | {"/large.bin": LARGE})
    assert alone.stop() == 0
    together = cluster.Cluster(tmp_path, candidates=2, database=database, environment={"BRASA_PRIMARY_WITHOUT_FILES": "true"}).start()
    try:
        first, second = (Site(node, "shop") for node in together.nodes)
        assert first.get("/large.bin").content == LARGE and second.get("/large.bin").content == LARGE
        first.deploy(FILES | {"/large.bin": LARGE[::-1]})
        together.nodes[0].kill()
        assert second.get("/large.bin").content == LARGE[::-1]
        second.deploy(FILES | {"/index.html": b"after"})
        together.nodes[0].start()
        servers.wait_for(lambda: Site(together.nodes[0], "shop").get("/").content == b"after", "the site at the node that came again")
    finally:
        together.close()


@pytest.mark.slow
def test_a_rewrite_calls_the_function_of_the_home_node(tmp_path):
    settings = {
        "BRASA_FUNCTIONS": "true", "BRASA_FUNCTIONS_ENVIRONMENTS": str(tmp_path / "environments"),
        "BRASA_FUNCTIONS_KEY_FILE": str(tmp_path / "functions.key"),
    }
    together = cluster.Cluster(tmp_path, candidates=1, environment=settings).start()
    try:
        programs.deploy(together.nodes[0], programs.source(tmp_path / "one", None, "one"))
        sites = [Site(node, "shop") for node in together.nodes]
        sites[1].deploy(config={"rewrites": [{"glob": "/hello", "function": "hello"}]})
        assert [site.get("/hello").text for site in sites] == ["one 0", "one 0"]
        assert [site.get("/hello", method="POST").status_code for site in sites] == [200, 200]
    finally:
        together.close()


def test_a_store_moves_out_of_the_database_with_its_sites(tmp_path):
    database = postgres.Postgres()
    alone = servers.Brasa(tmp_path / "data", environment={"BRASA_STORE": database.address}).start()
    try:
        Site(alone, "shop").deploy({"/large.bin": LARGE})
        assert alone.stop() == 0
        servers.run("move", "--data", alone.data, "--store", database.address, "--to", "directory")
        moved = servers.Brasa(alone.data).start()
        assert Site(moved, "shop").get("/large.bin").content == LARGE
        assert moved.stop() == 0
    finally:
        alone.kill()
        database.close()

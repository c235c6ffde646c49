"""Functions and their events over kills, full disks and deployments under load."""

import os
import pathlib
import random
import signal
import sys
import threading
import time

import pytest
import requests

from support import clients, events, programs, shim, server as servers

pytestmark = pytest.mark.brasa_only
LEDGER = {"ledger": programs.written("c/{d}")}


@pytest.fixture
def receiver():
    made = events.Receiver()
    yield made
    made.close()


@pytest.fixture
def settings(tmp_path):
    return {"BRASA_FUNCTIONS": "true", "BRASA_FUNCTIONS_ENVIRONMENTS": str(tmp_path / "environments")}


def hello(server):
    return requests.get(f"{server.url}/shop/us-central1/hello", timeout=60)


class Writers:
    """Threads that write documents one after the other, and note what was acknowledged."""

    def __init__(self, server, prefix, collections=("c",), lanes=4, pause=0.0):
        self.acknowledged, self.refused = [], []
        self.stopped = threading.Event()
        url = f"{server.url}/v1/projects/shop/databases/(default)/documents/"

        def write(lane):
            number = 0
            with requests.Session() as session:
                while not self.stopped.wait(pause) or not number:
                    for collection in collections:
                        name = f"{collection}/{prefix}-{lane}-{number}"
                        fields = {"fields": {"n": {"integerValue": str(number)}}}
                        try:
                            answer = session.patch(url + name, json=fields, timeout=30)
                        except requests.RequestException:
                            return
                        if answer.status_code == 200:
                            self.acknowledged.append(name)
                        else:
                            self.refused.append(answer.text)
                    number += 1

        self.threads = [threading.Thread(target=write, args=(lane,)) for lane in range(lanes)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(60)


def check_ids(receiver):
    """What comes twice has the same id."""
    ids = {}
    for one in programs.seen(receiver):
        ids.setdefault(one["document"], set()).add(one["id"])
    assert all(len(found) == 1 for found in ids.values())


# The ledger is compared behind so many kills, so that a run that is cut short proves what it did.
KILLS_TO_A_COMPARISON = 25


@pytest.mark.slow
def test_nothing_is_lost_over_some_kills_of_server_and_function(tmp_path, settings):
    lose_nothing(tmp_path, settings, cycles=3, seed=1)


@pytest.mark.slow
def test_nothing_is_lost_over_a_thousand_kills_of_server_and_function(tmp_path, settings):
    """BRASA_TEST_KILLS is another number of kills, BRASA_TEST_SECONDS ends the run behind the cycle of that second."""
    seed = int(os.environ.get("BRASA_TEST_SEED") or random.randrange(1 << 32))
    seconds = float(os.environ.get("BRASA_TEST_SECONDS") or "inf")
    lose_nothing(tmp_path, settings, int(os.environ.get("BRASA_TEST_KILLS") or 1_000), seed, seconds)


def lose_nothing(tmp_path, settings, cycles, seed, seconds=float("inf")):
    """Kills the server, the function or both under load; every acknowledged write calls the function."""
    print(f"seed {seed}", flush=True)
    chooser, begun, ledger = random.Random(seed), time.monotonic(), events.Ledger()
    server = servers.Brasa(tmp_path / "data", environment=settings).start()
    programs.deploy(server, programs.source(tmp_path / "source", ledger, "one", **LEDGER))
    wanted, kills = set(), {"server": 0, "function": 0, "both": 0}

    def compare():
        """The ledger has all that was acknowledged, and nothing waits or failed for good."""
        if not server.is_running:
            server.start()
        ledger.compare(wanted)
        servers.wait_for(lambda: "c/" not in events.command(server, "shop", "list").stdout, "an empty queue", 300)
        assert "c/" not in events.command(server, "shop", "list", "--dead").stdout
        print(
            f"{sum(kills.values())} kills {kills} after {time.monotonic() - begun:.0f} s: nothing lost of "
            f"{len(ledger.ids)} documents, {ledger.calls} calls, no id differs",
            flush=True,
        )
        wanted.clear()

    for cycle in range(cycles):
        if time.monotonic() - begun > seconds:
            break
        if not server.is_running:
            server.start()
        before = ledger.calls
        writers = Writers(server, cycle)
        ledger.wait_for_calls(before + 10)
        # When the kill comes is the random part of the experiment.
        writers.stopped.wait(chooser.uniform(0, 0.05))
        victim = chooser.choice(list(kills))
        kills[victim] += 1
        if victim != "server":
            kill_child(server, ledger.last["process"])
        if victim != "function":
            server.kill()
        writers.stop()
        wanted |= set(writers.acknowledged)
        if cycle % KILLS_TO_A_COMPARISON == KILLS_TO_A_COMPARISON - 1:
            compare()
        del server.lines[:-200]
    compare()
    assert server.stop() == 0
    ledger.close()


def kill_child(server, process):
    """kill -9 of an instance, unless it has ended: its number may be another program's by now."""
    try:
        parent = int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
        if parent == server.process.pid:
            os.kill(process, signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        pass


@pytest.mark.slow
def test_triggers_come_change_and_go_under_load(tmp_path, receiver, settings):
    server = servers.Brasa(tmp_path / "data", environment=settings).start()
    writers = Writers(server, "w", ("c", "d"), lanes=2, pause=0.01)

    def deploy(release, **endpoints):
        """The documents that were acknowledged before and behind the deployment."""
        before = len(writers.acknowledged)
        programs.deploy(server, programs.source(tmp_path / release, receiver, release, **endpoints))
        servers.wait_for(lambda: hello(server).text == f"{release} 0", release)
        behind = len(writers.acknowledged)
        servers.wait_for(lambda: len(writers.acknowledged) > behind + 20, "more writes")
        return before, behind

    _, first = deploy("one", **LEDGER)
    # The same trigger with a new source, and then one for other documents.
    deploy("two", **LEDGER)
    before, behind = deploy("three", ledger=programs.written("d/{x}"))
    servers.run("functions", "delete", "default", "--project", "shop", "--data", server.data)
    gone = len(writers.acknowledged)
    servers.wait_for(lambda: len(writers.acknowledged) > gone + 20, "writes behind the deletion")
    writers.stop()
    assert not writers.refused
    names = writers.acknowledged
    wanted = {name for name in names[first:before] if name.startswith("c/")}
    assert len(wanted) > 20

    # What waited when the trigger changed is delivered by the new source.
    found = programs.documents(receiver)
    assert wanted <= found, sorted(wanted - found)[:5]
    assert any(name.startswith("d/") for name in found)
    late = {name for name in names[behind:] if name.startswith("c/")}
    # A write may begin before the deployment and be acknowledged behind it: one of each lane.
    assert len(late & found) <= 2
    assert not {name for name in names[gone + 4 :]} & found
    assert {one["release"] for one in programs.seen(receiver)} <= {"one", "two", "three"}
    check_ids(receiver)
    assert "c/" not in events.command(server, "shop", "list", check=False).stdout
    assert server.stop() == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux")
def test_a_full_disk_loses_no_event_of_a_function(tmp_path, settings):
    full, gate = tmp_path / "full", threading.Event()
    receiver = events.Receiver(lambda request: 200 if gate.wait(60) else 500)
    environment = shim.environment(shim.build(tmp_path), tmp_path / "data", full_while=full) | settings
    server = servers.Brasa(tmp_path / "data", environment=environment).start()
    programs.deploy(server, programs.source(tmp_path / "source", receiver, "one", **LEDGER))
    client = clients.connect(server, "shop")
    gate.set()
    client.document("c/first").set({"n": 1})
    receiver.wait(1)
    assert hello(server).text == "one 0"
    gate.clear()
    client.document("c/before").set({"n": 1})
    full.touch()
    # Delivered now, which can't be written down: it comes again. A function that is warm responds all the while.
    gate.set()
    receiver.wait(2)
    assert hello(server).text == "one 0"
    refused = programs.deploy(server, programs.source(tmp_path / "two", receiver, "two", **LEDGER), check=False)
    assert refused.returncode != 0
    full.unlink()

    def write():
        try:
            client.document("c/after").set({"n": 1}, retry=None, timeout=30)
            return True
        except Exception:
            return False

    servers.wait_for(write, "room")
    servers.wait_for(lambda: programs.documents(receiver) == {"c/first", "c/before", "c/after"}, "all events")
    check_ids(receiver)
    # Nothing of the deployment without room is in force, and one with room is.
    assert hello(server).text == "one 0"
    programs.deploy(server, tmp_path / "two")
    assert hello(server).text == "two 0"
    assert server.stop() == 0
    receiver.close()


@pytest.mark.slow
def test_packages_that_no_codebase_has_are_removed(tmp_path):
    server = servers.Brasa(tmp_path / "data", environment={"BRASA_FUNCTIONS": "true"}).start()
    folder = server.data / "functions" / "environments"

    def names():
        return {path.name for path in folder.glob("swift-*")}

    programs.deploy(server, programs.source(tmp_path / "one", None, "one"), "shop", "--codebase", "first")
    [kept] = names()
    programs.deploy(server, programs.source(tmp_path / "two", None, "two"), "bank")
    programs.deploy(server, programs.source(tmp_path / "three", None, "three"), "bank")
    # A release that can be put in force again keeps its packages.
    assert len(names()) == 3
    servers.run("functions", "delete", "default", "--project", "bank", "--data", server.data)
    assert names() == {kept}
    assert hello(server).text == "one 0"
    # What a killed installation left goes at the next start.
    (folder / "swift-half" / "below").mkdir(parents=True)
    server.kill()
    server.start()
    servers.wait_for(lambda: names() == {kept}, "the sweep")
    servers.wait_for(lambda: not list((folder / ".discarded").iterdir()), "the removal")
    assert hello(server).text == "one 0"
    assert server.stop() == 0


@pytest.mark.slow
def test_two_codebases_have_no_function_of_one_name(tmp_path, receiver, settings):
    server = servers.Brasa(tmp_path / "data", environment=settings).start()
    first = programs.source(tmp_path / "first", receiver, "one", **LEDGER)
    programs.deploy(server, first, "shop", "--codebase", "first")
    refused = programs.deploy(server, first, "shop", "--codebase", "second", check=False)
    assert refused.returncode == 1 and "already" in refused.stderr
    # Another project has names of its own.
    programs.deploy(server, programs.source(tmp_path / "other", receiver, "other"), "bank", "--codebase", "second")
    assert hello(server).text == "one 0"
    assert requests.get(f"{server.url}/bank/us-central1/hello", timeout=60).text == "other 0"
    listed = servers.run("functions", "list", "--project", "shop", "--data", server.data).stdout
    assert len(listed.splitlines()) == 2
    assert server.stop() == 0


@pytest.mark.parametrize(
    "path, body",
    [
        ("/v1/projects/{}/topics/news:publish", {"messages": [{"data": "eA==" * (4 << 20)}]}),
        ("/v1/projects/{}/topics/news:publish", {"messages": [{"data": "eA=="}] * 1_001}),
        ("/v2/projects/{}/locations/us-central1/queues/work/tasks", {"task": {"httpRequest": {"url": "", "body": "eA==" * (1 << 19)}}}),
        ("/v1/projects/{}/locations/us-central1/channels/firebase:publishEvents", {"events": [{
            "@type": "type.googleapis.com/io.cloudevents.v1.CloudEvent", "id": "1", "source": "//shop", "specVersion": "1.0",
            "type": "a.b", "textData": "x" * (12 << 20)}]}),
    ],
)
def test_bodies_of_events_over_the_limits_are_refused(server, project, path, body):
    owner = {"Authorization": "Bearer owner"}
    assert requests.put(f"{server.url}/v1/projects/{project}/topics/news", headers=owner, timeout=60).status_code == 200
    answer = requests.post(server.url + path.format(project), json=body, headers=owner, timeout=60)
    assert answer.status_code in (400, 413), answer.text[:300]
    assert answer.json()["error"]["message"]

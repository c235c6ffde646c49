"""Listeners of users under security rules: each sees what is theirs, as it is theirs."""

import os
import random

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from support import rest, rules
from support.listening import ListenStream
from support.rpc import Names, fields_of
from support.tokens import unsigned

pytestmark = pytest.mark.brasa_only

SEED = int(os.environ.get("BRASA_TEST_SEED", "3"))
DENIED = 7


def text(value):
    return {"string_value": value}


@pytest.fixture
def listen(server, project, names):
    """Opens a stream of a user on a connection of its own; None is nobody."""
    opened = []

    def open_stream(uid):
        options = [("grpc.use_local_subchannel_pool", 1)]
        channel = grpc.insecure_channel(server.host, options=options)
        metadata = () if uid is None else (("authorization", f"Bearer {unsigned(project, uid)}"),)
        stream = ListenStream(channel, names.database, metadata=metadata)
        opened.append((stream, channel))
        return stream

    yield open_stream
    for stream, channel in opened:
        stream.cancel()
        channel.close()


@pytest.fixture
def deploy(server, project):
    def deploy_rules(content):
        answer = rules.put(server, project, content)
        assert answer.status_code == 200, answer.text

    return deploy_rules


def user_rest(server, project, uid):
    return rest.Rest(server, project, token=unsigned(project, uid))


def product(uid, name, **more):
    fields = {"userId": {"stringValue": uid}, "name": {"stringValue": name}}
    return {"fields": {**fields, **more}}


def own(stream, uid):
    """The query that the rules allow a user."""
    return stream.query("products", where=[("userId", "EQUAL", text(uid))])


def refusal(stream, target_id):
    stream.until(lambda: stream.targets[target_id].cause is not None)
    return stream.targets[target_id].cause


def named(stream):
    """Every document that the server named on a stream."""
    found = set()
    for response in stream.responses:
        kind = response._pb.WhichOneof("response_type")
        if kind == "document_change":
            found.add(response.document_change.document.name)
        elif kind in ("document_delete", "document_remove"):
            found.add(getattr(response, kind).document)
    return found


def test_two_devices_of_one_user_and_one_of_another(server, project, names, listen, deploy):
    deploy(rules.PRODUCTS)
    ana, ana_too, bia = listen("ana"), listen("ana"), listen("bia")
    for stream, uid in ((ana, "ana"), (ana_too, "ana"), (bia, "bia")):
        stream.add(2, own(stream, uid))
        stream.until_consistent(2)
    phone, other = user_rest(server, project, "ana"), user_rest(server, project, "bia")
    phone.documents("PATCH", "products/p1", json=product("ana", "Café"))
    for stream in (ana, ana_too):
        stream.until_held(2, ["p1"])
        assert fields_of(stream.targets[2].consistent[names("products/p1")])["name"] == "Café"
    phone.documents("PATCH", "products/p1", json=product("ana", "Café forte"))
    other.documents("PATCH", "products/p2", json=product("bia", "Chá"))
    bia.until_held(2, ["p2"])

    def is_strong():
        held = ana.targets[2].consistent.get(names("products/p1"))
        return held and fields_of(held)["name"] == "Café forte"

    ana.until(is_strong)
    phone.documents("DELETE", "products/p1")
    ana.until_held(2, [])
    ana_too.until_held(2, [])
    assert named(ana) == named(ana_too) == {names("products/p1")}
    assert named(bia) == {names("products/p2")}


@pytest.mark.parametrize("uid", ["ana", None])
def test_what_is_not_proven_is_refused_alone(calls, names, listen, deploy, uid):
    deploy(rules.PRODUCTS)
    stream = listen(uid)
    stream.add(2, stream.query("products"))
    stream.add(4, own(stream, "bia"))
    stream.add(6, stream.query("elsewhere"))
    for target_id in (2, 4, 6):
        cause = refusal(stream, target_id)
        assert cause.code == DENIED and cause.message
    calls.Commit(
        database=names.database,
        writes=[{"update": {"name": names("products/b"), "fields": {"userId": text("bia")}}}],
    )
    if uid:
        stream.add(8, own(stream, uid))
        stream.until_consistent(8)
    assert named(stream) == set()


def test_a_document_that_changes_its_owner_changes_listeners(calls, names, listen, deploy):
    deploy(rules.PRODUCTS)
    ana, bia = listen("ana"), listen("bia")
    ana.add(2, own(ana, "ana"))
    bia.add(2, own(bia, "bia"))
    ana.until_consistent(2)
    bia.until_consistent(2)

    def give(uid, secret):
        fields = {"userId": text(uid), "secret": text(secret)}
        calls.Commit(
            database=names.database,
            writes=[{"update": {"name": names("products/p"), "fields": fields}}],
        )

    give("ana", "of ana")
    ana.until_held(2, ["p"])
    give("bia", "of bia")
    ana.until_held(2, [])
    bia.until_held(2, ["p"])
    assert not any("of bia" in str(response) for response in ana.responses), "content of another"


def test_a_document_target_ends_when_it_is_somebody_else_s(calls, names, listen, deploy):
    deploy(rules.PRODUCTS)
    write = {"update": {"name": names("products/p"), "fields": {"userId": text("ana")}}}
    calls.Commit(database=names.database, writes=[write])
    ana = listen("ana")
    ana.add(1, ana.documents("products/p"))
    ana.add(3, own(ana, "ana"))
    ana.until_consistent(1, 3)
    write = {"update": {"name": names("products/p"), "fields": {"userId": text("bia")}}}
    calls.Commit(database=names.database, writes=[write])
    assert refusal(ana, 1).code == DENIED
    ana.until_held(3, [])


def test_rules_that_change_end_what_they_no_longer_allow(calls, names, listen, deploy):
    deploy(rules.PRODUCTS)
    ana = listen("ana")
    ana.add(2, own(ana, "ana"))
    ana.until_consistent(2)
    deploy(rules.service("match /products/{id} { allow read: if request.auth.uid == 'bia'; }"))
    assert refusal(ana, 2).code == DENIED
    before = len(ana.responses)
    deploy(rules.PRODUCTS)
    ana.add(4, own(ana, "ana"))
    ana.until_consistent(4)
    assert all(2 not in r.document_change.target_ids for r in ana.responses[before:])


def test_a_right_that_rests_on_data_ends_with_the_data(calls, names, listen, deploy):
    deploy(
        rules.service(
            "match /rooms/{room}/messages/{id} { allow read: if exists("
            "/databases/$(database)/documents/rooms/$(room)/members/$(request.auth.uid)); }"
        )
    )

    def commit(*writes):
        calls.Commit(database=names.database, writes=list(writes))

    member = names("rooms/r/members/ana")
    commit({"update": {"name": member, "fields": {}}})
    ana, bia = listen("ana"), listen("bia")
    room = ana.query("messages", parent=names("rooms/r"))
    ana.add(2, room)
    bia.add(2, room)
    ana.until_consistent(2)
    assert refusal(bia, 2).code == DENIED
    commit({"update": {"name": names("rooms/r/messages/1"), "fields": {"text": text("oi")}}})
    ana.until_held(2, ["1"])
    # Both at once: whoever is out no longer hears what was said as they left.
    commit(
        {"delete": member},
        {"update": {"name": names("rooms/r/messages/2"), "fields": {"text": text("psst")}}},
    )
    assert refusal(ana, 2).code == DENIED
    commit({"update": {"name": names("rooms/r/messages/3"), "fields": {"text": text("psst")}}})
    commit({"update": {"name": member, "fields": {}}})
    ana.add(4, room)
    ana.until_consistent(4)
    assert ana.ids(4) == ["1", "2", "3"]
    for response in ana.responses:
        if response.target_change.cause.code:
            break
        assert "psst" not in str(response), "told after the right had ended"


@pytest.mark.parametrize("round_number", range(2))
def test_random_owners_never_show_what_is_foreign(calls, names, listen, deploy, round_number):
    """Products change owners at random; each consistent state is what the owner's query gives."""
    seed = SEED * 100 + round_number
    print(f"seed {seed}")
    chooser = random.Random(seed)
    deploy(rules.PRODUCTS)
    users = ["ana", "bia", "caio"]
    streams = {uid: listen(uid) for uid in users}
    states = {uid: [] for uid in users}
    for uid, stream in streams.items():
        observe(stream, states[uid])
        stream.add(2, own(stream, uid))
        stream.add(4, stream.query(
            "products", where=[("userId", "EQUAL", text(uid))], orders=[("n", "ASCENDING")], limit=3))
        stream.until_consistent(2, 4)
    owned = {uid: set() for uid in users}
    for number in range(80):
        writes = []
        for key in chooser.sample(range(8), chooser.randint(1, 3)):
            name = names(f"products/p{key}")
            if chooser.random() < 0.2:
                writes.append({"delete": name})
                continue
            uid = chooser.choice(users)
            owned[uid].add(name)
            fields = {"userId": text(uid), "n": {"integer_value": number}, "of": text(f"secret of {uid}")}
            writes.append({"update": {"name": name, "fields": fields}})
        calls.Commit(database=names.database, writes=writes)
    for uid, stream in streams.items():
        final = query_at(calls, stream, own(stream, uid), None)
        stream.until(lambda stream=stream, final=final: versions(stream.targets[2].consistent) == final)
        assert named(stream) <= owned[uid], f"seed {seed}: {uid} heard of what was never theirs"
        for other in users:
            foreign = f"secret of {other}"
            assert other == uid or not any(foreign in str(r) for r in stream.responses), f"seed {seed}"
        assert len(states[uid]) > 20, "too few states to say anything"
        for read_time, held in states[uid]:
            expected = query_at(calls, stream, own(stream, uid), read_time)
            assert held == expected, f"seed {seed}: {uid} at {read_time}"


def observe(stream, states):
    """Notes the first target's documents at each consistent point."""
    apply = stream._be_consistent

    def note(change):
        apply(change)
        if 2 in stream.targets and stream.targets[2].is_current:
            states.append((stream.read_time, versions(stream.targets[2].consistent)))

    stream._be_consistent = note


def versions(documents):
    return {name: document.update_time for name, document in documents.items()}


def query_at(calls, stream, content, read_time):
    """The versions that an administrator's query gives at a time, in nanoseconds."""
    request = {"parent": stream.root, "structured_query": content["query"]["structured_query"]}
    if read_time is not None:
        request["read_time"] = Timestamp(seconds=read_time // 10**9, nanos=read_time % 10**9)
    found = [answer.document for answer in calls.RunQuery(request) if answer.document.name]
    return {document.name: document.update_time for document in found}


def test_names_of_other_databases_do_not_help(server, project, listen, deploy):
    """The rules of a project hold in its other databases too."""
    deploy(rules.PRODUCTS)
    there = Names(project, "other-db")
    options = [("grpc.use_local_subchannel_pool", 1)]
    channel = grpc.insecure_channel(server.host, options=options)
    token = unsigned(project, "ana")
    stream = ListenStream(channel, there.database, metadata=(("authorization", f"Bearer {token}"),))
    stream.add(2, stream.query("products"))
    assert refusal(stream, 2).code == DENIED
    stream.cancel()
    channel.close()


def test_a_document_that_becomes_too_much_work_for_the_rules_ends_its_target(
    server, project, names, listen, deploy
):
    """Every decision over a listener has the budget of work, and others hear on."""
    deploy(rules.service(
        "match /q/{id} { allow get: if !resource.data.s.matches('(a|b|ab)*(a?){50}c'); }\n"
        "match /free/{id} { allow read; }"
    ))
    owner = user_rest(server, project, None)
    owner.session.headers["Authorization"] = "Bearer owner"
    for path in ("q/d", "free/d"):
        owner.documents("PATCH", path, json={"fields": {"s": {"stringValue": "aaa"}}})
    stream = listen("ana")
    stream.add(2, stream.documents("q/d"))
    stream.add(4, stream.documents("free/d"))
    stream.until_consistent(2, 4)
    owner.documents("PATCH", "q/d", json={"fields": {"s": {"stringValue": "a" * 600_000}}})
    assert refusal(stream, 2).code == DENIED
    owner.documents("PATCH", "free/d", json={"fields": {"s": {"stringValue": "b"}}})
    stream.until(
        lambda: fields_of(stream.targets[4].consistent[names("free/d")])["s"] == "b"
    )

"""Pipelines under security rules: proofs, documents that are judged one by one, and nothing told of the others."""

import json

import pytest

from support import rest, rules
from support.identity import Identity

pytestmark = [pytest.mark.brasa_only, pytest.mark.one_process("several nodes sign their tokens")]

PASSWORD = "correct horse 7"
RULES = """
rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /notes/{id} { allow read: if resource.data.owner == request.auth.uid; }
    match /open/{id} { allow read: if true; }
    match /judged/{id} { allow list: if resource.data.size() < 3; }
    match /members/{id} { allow get: if id == request.auth.uid; }
    match /priced/{id} { allow read: if 'price' in resource.data; }
  }
}
"""


@pytest.fixture
def ana(server, project, client):
    assert rules.put(server, project, RULES).status_code == 200
    person = Identity(server, project).client("signUp", email="ana@example.com", password=PASSWORD)
    uid = person["localId"]
    batch = client.batch()
    batch.set(client.document("notes/a"), {"owner": uid, "text": "mine"})
    batch.set(client.document("notes/b"), {"owner": "bob", "text": "secret"})
    batch.set(client.document("open/a"), {"n": 1})
    batch.set(client.document("judged/a"), {"n": 1})
    batch.set(client.document("members/" + uid), {"n": 1})
    batch.set(client.document("members/bob"), {"n": 2})
    batch.commit()
    caller = rest.Rest(server, project, token=person["idToken"])
    caller.uid = uid
    return caller


def text(value):
    return {"stringValue": value}


def field(path):
    return {"fieldReferenceValue": path}


def call(name, *arguments):
    return {"functionValue": {"name": name, "args": list(arguments)}}


def stage(name, *arguments):
    return {"name": name, "args": list(arguments)}


def integer(number):
    return {"integerValue": str(number)}


def order(path):
    return {"mapValue": {"fields": {"direction": text("ascending"), "expression": field(path)}}}


def notes(*stages):
    return [stage("collection", {"referenceValue": "/notes"}), *stages]


def mine(caller):
    return stage("where", call("equal", field("owner"), text(caller.uid)))


def run(caller, stages, **options):
    pipeline = {"pipeline": {"stages": stages}, **({"options": options} if options else {})}
    answer = caller.documents("POST", ":executePipeline", json={"structuredPipeline": pipeline})
    return [result for message in answer for result in message.get("results", [])], answer


def refused(caller, stages):
    body = {"structuredPipeline": {"pipeline": {"stages": stages}}}
    error = caller.refused("POST", f"{caller.root}:executePipeline", 403, json=body)
    assert error["status"] == "PERMISSION_DENIED"
    return error


def test_a_proof_lets_the_callers_own_documents_pass(ana):
    found, _ = run(ana, notes(mine(ana), stage("select", {"mapValue": {"fields": {"text": field("text")}}})))
    assert [row["fields"] for row in found] == [{"text": text("mine")}]


def test_conditions_that_prove_nothing_are_refused_whatever_they_match(ana):
    refused(ana, notes())
    refused(ana, notes(stage("where", call("equal", field("text"), text("mine")))))
    refused(ana, notes(stage("where", call("equal", field("text"), text("nothing like it")))))
    refused(ana, notes(stage("limit", {"integerValue": "0"})))
    refused(ana, notes(stage("where", call("error", text("x"))), stage("limit", {"integerValue": "1"})))
    hidden = stage("add_fields", {"mapValue": {"fields": {"owner": text(ana.uid)}}})
    refused(ana, notes(hidden, mine(ana)))
    refused(ana, notes(stage("limit", {"integerValue": "1"}), mine(ana)))


def test_an_alternative_proves_nothing_about_the_fields_of_another(ana, client):
    """A classic query finds only documents with the fields that it compares; a pipeline finds others by an alternative."""
    client.document("priced/a").set({"price": 1})
    client.document("priced/b").set({"tags": ["x"], "secret": True})
    assert ana.request("GET", ana.name("priced/b")).status_code == 403
    priced = stage("collection", {"referenceValue": "/priced"})
    cheap = call("less_than", field("price"), integer(5))
    assert len(run(ana, [priced, stage("where", cheap)])[0]) == 1
    tagged = call("array_contains", field("tags"), text("x"))
    for condition in (call("or", cheap, tagged), call("or", tagged, cheap)):
        refused(ana, [priced, stage("where", condition)])


def test_one_denied_document_fails_the_whole_request(ana, client):
    judged = [stage("collection", {"referenceValue": "/judged"})]
    assert len(run(ana, judged)[0]) == 1
    client.document("judged/b").set({"a": 1, "b": 2, "c": 3})
    refused(ana, judged)
    refused(ana, [*judged, stage("where", call("equal", field("n"), {"integerValue": "1"}))])


def test_documents_are_gets(ana):
    own = {"referenceValue": f"/members/{ana.uid}"}
    assert len(run(ana, [stage("documents", own)])[0]) == 1
    refused(ana, [stage("documents", own, {"referenceValue": "/members/bob"})])
    refused(ana, [stage("collection", {"referenceValue": "/members"})])


def test_every_input_is_judged(ana):
    opened = stage("collection", {"referenceValue": "/open"})
    assert len(run(ana, [opened])[0]) == 1
    secret = {"pipelineValue": {"stages": notes()}}
    refused(ana, [opened, stage("union", secret)])
    inner = stage("select", {"mapValue": {"fields": {"x": call("array", secret)}}})
    refused(ana, [opened, inner])
    refused(ana, [opened, stage("where", call("is_error", call("array", secret)))])
    refused(ana, [stage("database")])
    refused(ana, [stage("literals", {"mapValue": {"fields": {}}})])
    allowed = {"pipelineValue": {"stages": notes(mine(ana))}}
    assert len(run(ana, [opened, stage("union", allowed)])[0]) == 2


def test_collections_below_the_rows_are_judged_one_by_one(ana, server, project, client):
    open_match = "match /open/{id} { allow read: if true; }"
    inner = {"pipelineValue": {"stages": [stage("subcollection", text("logs"))]}}
    logs = stage("select", {"mapValue": {"fields": {"x": call("array", inner)}}})
    opened = stage("collection", {"referenceValue": "/open"})
    batch = client.batch()
    for name in ("a", "b"):
        batch.set(client.document(f"open/{name}"), {"n": 1})
        batch.set(client.document(f"open/{name}/logs/l"), {"public": True})
    batch.set(client.document("open/closed"), {"n": 2})
    batch.set(client.document("open/closed/logs/l"), {"public": False})
    batch.commit()
    # By a proof for each collection, and by each document where the rules need it.
    for condition in ("id != 'closed'", "resource.data.public == true"):
        match = f"match /open/{{id}} {{ allow read: if true; match /logs/{{log}} {{ allow read: if {condition}; }} }}"
        assert rules.put(server, project, RULES.replace(open_match, match)).status_code == 200
        refused(ana, [opened, logs])
        found, _ = run(ana, [opened, stage("where", call("equal", field("n"), integer(1))), logs])
        assert [len(row["fields"]["x"]["arrayValue"]["values"]) for row in found] == [1, 1]
    # Nothing is told where no rule knows the collections.
    assert rules.put(server, project, RULES).status_code == 200
    refused(ana, [opened, logs])


def test_writes_are_refused_and_counts_are_hidden(ana, client):
    refused(ana, [stage("collection", {"referenceValue": "/open"}), stage("delete")])
    assert client.document("open/a").get().exists
    options = {"explain_options": {"mapValue": {"fields": {"mode": text("analyze")}}}}
    _, answer = run(ana, notes(mine(ana)), **options)
    explanation = answer[-1]["explainStats"]["data"]["value"]
    assert "Execution plan" in explanation and "rows:" not in explanation


def test_the_web_sdk_fetches_json_as_text_with_the_database_in_its_body(ana):
    """A browser posts no preflight: text/plain, the key in the URL, and the database inside and outside of the body."""
    stages = [stage("collection", {"referenceValue": "/open"}), stage("sort", order("n")), stage("limit", integer(1))]
    body = {
        "database": ana.database,
        "structuredPipeline": {"pipeline": {"stages": [{**part, "options": {}} for part in stages]}, "options": {}},
    }
    answer = ana.request(
        "POST",
        f"{ana.root}:executePipeline?key=none",
        data=json.dumps(body),
        headers={
            "Content-Type": "text/plain",
            "Origin": "https://app.example",
            "X-Goog-Api-Client": "gl-js/ fire/12.0.0",
            "google-cloud-resource-prefix": ana.database,
            "x-goog-request-params": f"project_id={ana.database.split('/')[1]}&database_id=(default)",
        },
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["Access-Control-Allow-Origin"] in ("*", "https://app.example")
    messages = answer.json()
    assert [message["executionTime"] for message in messages]
    (row,) = [row for message in messages for row in message.get("results", [])]
    assert row["name"] == ana.name("open/a") and row["fields"] == {"n": integer(1)}
    assert row["createTime"] <= row["updateTime"] <= messages[0]["executionTime"]
    nothing = {**body, "structuredPipeline": {"pipeline": {"stages": [*stages, stage("offset", integer(1))]}}}
    (empty,) = ana.documents("POST", ":executePipeline", data=json.dumps(nothing))
    assert set(empty) == {"executionTime"}
    selected = stage("select", {"mapValue": {"fields": {"n": field("none")}}})
    (only,) = run(ana, [stages[0], selected])[0]
    assert only == {"fields": {}}
    other = {**body, "database": "projects/other/databases/(default)"}
    # The database of the URL counts, whatever the body says.
    found = ana.documents("POST", ":executePipeline", data=json.dumps(other))
    (row,) = [row for message in found for row in message.get("results", [])]
    assert row["name"] == ana.name("open/a")


CONDITIONS = [
    "resource.data.owner == request.auth.uid",
    "resource.data.public == true",
    "resource.data.owner == request.auth.uid || resource.data.public == true",
    "resource.data.n < 2",
    "resource.data.n >= 1 && resource.data.n <= 2",
    "resource.data.n != 2",
    "resource.data.n in [0, 1]",
    "'x' in resource.data.tags",
    "!('secret' in resource.data)",
    "resource.data.secret == null",
    "resource.data.size() < 5",
    "resource.data.get('n', 9) < 3",
    "id != 'd3'",
    "exists(/databases/$(database)/documents/open/$(id))",
]


def random_rule(random, depth=2):
    """Some of the conditions, joined."""
    if depth == 0 or random.random() < 0.3:
        return random.choice(CONDITIONS)
    parts = [random_rule(random, depth - 1) for _ in range(2)]
    return f"({parts[0]} {random.choice(['&&', '||'])} {parts[1]})"


def constants(uid):
    return {
        "owner": [text(uid), text("bob")],
        "public": [{"booleanValue": True}, {"booleanValue": False}],
        "n": [integer(number) for number in range(4)] + [{"nullValue": None}, {"doubleValue": "NaN"}],
        "secret": [{"nullValue": None}, text("s")],
    }


def random_condition(random, uid, depth=2, variable=False):
    values = constants(uid)
    kind = random.randrange(9 if depth else 7)
    if kind >= 7:
        name = random.choice(["and", "or", "not"])
        parts = [random_condition(random, uid, depth - 1, variable) for _ in range(1 if name == "not" else 2)]
        return call(name, *parts)
    path = random.choice(list(values))
    if kind == 6:
        present = call("exists", field(path))
        if random.random() < 0.3:
            return present
        return call("and", present, call("not_equal", field(path), random.choice(values[path])))
    if kind == 5:
        return call("array_contains", field("tags"), text(random.choice("xy")))
    if kind == 4:
        return call("equal_any", field(path), {"arrayValue": {"values": random.sample(values[path], 2)}})
    name = random.choice(
        ["equal", "equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"]
    )
    side = {"variableReferenceValue": "v"} if variable and random.random() < 0.3 else field(path)
    operands = [side, random.choice(values[path])]
    return call(name, *(operands if random.random() < 0.8 else reversed(operands)))


def assignments(**fields):
    return {"mapValue": {"fields": fields}}


def random_change(random, uid):
    """A stage that keeps the rows' names, but not what the rules asked of their fields; or a variable."""
    values = constants(uid)
    path = random.choice(list(values))
    value = random.choice([*values[path], field(random.choice(list(values)))])
    kept = {name: field(name) for name in values if name != path}
    return random.choice(
        [
            stage("let", assignments(v=value)),
            stage("let", assignments(v=call("divide", integer(1), field("n")))),
            stage("add_fields", assignments(**{path: value})),
            stage("select", assignments(__name__=field("__name__"), **kept, **{path: value})),
            stage("remove_fields", field(path)),
        ]
    )


def random_stages(random, uid):
    """Conditions, perhaps behind variables and changes."""
    stages, variable = [], False
    for _ in range(random.randrange(1, 3)):
        if random.random() < 0.4:
            change = random_change(random, uid)
            variable = variable or change["name"] == "let"
            stages.append(change)
        stages.append(stage("where", random_condition(random, uid, variable=variable)))
    return stages


def random_input(random, uid, paths):
    """The first stages of a pipeline, and the documents that it names; None where it names none."""
    kind = random.randrange(8)
    if kind == 0:
        named = random.sample([*paths, "mixed/none"], random.randrange(1, 4))
        return [stage("documents", *({"referenceValue": f"/{path}"} for path in named))], set(named)
    if kind == 1:
        return [stage("collection_group", {"referenceValue": ""}, text("mixed"))], None
    collection = [stage("collection", {"referenceValue": "/mixed"})]
    if kind > 2:
        return collection, None
    other = random.choice(
        [
            [stage("collection", {"referenceValue": "/mixed"}), *random_stages(random, uid)],
            [stage("documents", {"referenceValue": f"/{random.choice(paths)}"})],
            [stage("collection_group", {"referenceValue": ""}, text("mixed")), *random_stages(random, uid)],
            [stage("collection", {"referenceValue": "/open"})],
        ]
    )
    union = stage("union", {"pipelineValue": {"stages": other}})
    return [*collection, *random_stages(random, uid), union], None


def joined(random, ana, http, stages, readable, told):
    """Runs the pipeline as a join of an open document; 1 where that was allowed."""
    path, value = random.choice([("owner", text(ana.uid)), ("owner", text("bob")), ("public", {"booleanValue": True})])
    variable = {"variableReferenceValue": "v"}
    name = stage("select", {"mapValue": {"fields": {"name": field("__name__")}}})
    inner = [stages[0], stage("where", call("equal", field(path), variable)), *stages[1:], name]
    outer = [
        stage("collection", {"referenceValue": "/open"}),
        stage("let", {"mapValue": {"fields": {"v": value}}}),
        stage("select", {"mapValue": {"fields": {"x": call("array", {"pipelineValue": {"stages": inner}})}}}),
    ]
    body = {"structuredPipeline": {"pipeline": {"stages": outer}}}
    answer = ana.request("POST", f"{ana.root}:executePipeline", json=body)
    assert answer.status_code in (200, 403), answer.text
    if answer.status_code == 403:
        return 0
    (row,) = run(http, outer)[0]
    found = row["fields"]["x"]["arrayValue"].get("values", [])
    seen = {value["referenceValue"].split("/documents/", 1)[1] for value in found}
    assert seen <= readable, (told, outer, seen - readable)
    return 1


def names_of(rows):
    return sorted(row["name"].split("/documents/", 1)[1] for row in rows)


def refusal_or_rows(caller, stages):
    """The response of a pipeline; an error of an expression counts as one, too."""
    body = {"structuredPipeline": {"pipeline": {"stages": stages}}}
    answer = caller.request("POST", f"{caller.root}:executePipeline", json=body)
    assert answer.status_code in (200, 400, 403), answer.text
    if answer.status_code == 400:
        assert "divide" in answer.text, answer.text
    return answer


def fill_mixed(random, client, uid):
    """Documents of random fields, in a collection and in one of that ID below a document; gives their paths."""
    paths = [f"mixed/d{number}" for number in range(5)] + ["open/a/mixed/d5", "open/a/mixed/d6"]
    batch = client.batch()
    for path in paths:
        fields = {}
        for name, values in {
            "owner": [uid, "bob"],
            "public": [True, False],
            "n": [0, 1, 2, 1.5, None, float("nan")],
            "tags": [["x"], ["y"], []],
            "secret": [None, "s"],
        }.items():
            if random.random() < 0.75:
                fields[name] = random.choice(values)
        batch.set(client.document(path), fields)
    batch.commit()
    return paths


def check_pipeline(random, ana, http, paths, readable, told):
    """One random pipeline; 1 where it was allowed."""
    begin, named = random_input(random, ana.uid, paths)
    stages = [*begin, *random_stages(random, ana.uid)]
    if named is None and begin[0]["name"] == "collection" and len(begin) == 1 and random.random() < 0.3:
        conditions = [stage("where", random_condition(random, ana.uid)) for _ in range(random.randrange(1, 3))]
        return joined(random, ana, http, [*begin, *conditions], readable, told)
    count = stage("aggregate", assignments(n=call("count")), {"mapValue": {}})
    one, two = (stage(name, integer(1)) for name in ("limit", "offset"))
    ordered = stage("sort", order("n"), order("__name__"))
    tail = random.choice([[], [], [one], [count], [ordered], [ordered, one], [two], [ordered, two, one]])
    answer = refusal_or_rows(ana, stages + tail)
    if answer.status_code == 403:
        # Of documents that are named, each is asked for, and nothing else.
        assert named is None or not named <= readable, (told, stages + tail)
        return 0
    if named is not None:
        assert named <= readable, (told, stages + tail, named - readable)
    # An error of an expression tells of the rows, too: none of them may be hidden.
    if answer.status_code == 400:
        return 0
    whole = refusal_or_rows(http, stages)
    if whole.status_code == 200:
        seen = names_of(row for message in whole.json() for row in message.get("results", []))
        assert {name for name in seen if not name.startswith("open/") or "/mixed/" in name} <= readable, (told, stages)
        if not tail:
            found = names_of(row for message in answer.json() for row in message.get("results", []))
            assert found == seen, (told, stages)
    return 1


def check_soundness(server, project, ana, http, client, seed, pipelines):
    """What a caller's pipeline is allowed to see is what the caller may get, document by document."""
    import random as source

    print("seed", seed)
    random = source.Random(seed)
    allowed = 0
    for condition in [*CONDITIONS, *(random_rule(random) for _ in range(len(CONDITIONS) // 2))]:
        # A match of any depth allows the collection group, too.
        path = random.choice(["mixed", "{path=**}/mixed"])
        match = f"match /{path}/{{id}} {{ allow read: if {condition}; }}"
        ruleset = RULES.replace("match /open", f"{match}\n    match /open")
        assert rules.put(server, project, ruleset).status_code == 200
        paths = fill_mixed(random, client, ana.uid)
        readable = {name for name in paths if ana.request("GET", ana.name(name)).status_code == 200}
        if ana.request("GET", ana.name("mixed/none")).status_code == 404:
            readable.add("mixed/none")
        for _ in range(pipelines):
            allowed += check_pipeline(random, ana, http, paths, readable, (seed, path, condition))
    assert allowed > len(CONDITIONS)


def test_random_pipelines_show_nothing_that_gets_do_not(server, project, ana, http, client):
    check_soundness(server, project, ana, http, client, 1, 30)


@pytest.mark.slow
def test_many_random_pipelines_show_nothing_that_gets_do_not(server, project, ana, http, client):
    for seed in range(2, 180):
        check_soundness(server, project, ana, http, client, seed, 40)

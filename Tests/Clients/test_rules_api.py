"""`firebaserules.googleapis.com`, as the Admin SDK for Node and the Firebase CLI send it.

Python's Admin SDK has no module for security rules, so these are raw requests in the shapes that the
sources of those two programs show.
"""

import json
import re

import pytest
import requests

from support import rest, rules, server as servers
from support.tokens import unsigned

pytestmark = pytest.mark.brasa_only

OPEN = rules.service("match /{any=**} { allow read, write: if true; }")
SHUT = rules.service("match /{any=**} { allow read, write: if false; }")
BROKEN = rules.service("match /a/{b} { allow read: if ; }\nmatch /c/{d} { allow write if true; }")
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")


@pytest.fixture
def api(server, project):
    return rules.RulesAPI(server.url, project)


@pytest.fixture
def ana(server, project):
    return rest.Rest(server, project, token=unsigned(project, "ana"))


def test_the_admin_sdks_release_of_rules(api, project, ana):
    ruleset = api.create_ruleset(OPEN)
    assert re.fullmatch(rf"projects/{project}/rulesets/[0-9a-f-]{{36}}", ruleset["name"])
    assert TIME.match(ruleset["createTime"])
    assert ruleset["source"]["files"] == [{"name": "firestore.rules", "content": OPEN}]
    released = api.release(ruleset)
    assert released["name"] == f"projects/{project}/releases/cloud.firestore"
    assert released["rulesetName"] == ruleset["name"]
    assert TIME.match(released["createTime"]) and TIME.match(released["updateTime"])
    assert api.call("GET", "/releases/cloud.firestore") == released
    name = ruleset["name"].rsplit("/", 1)[1]
    assert api.call("GET", f"/rulesets/{name}") == ruleset
    assert ana.request("GET", ana.name("a/b")).status_code == 404


def test_a_deployment_takes_effect_for_the_next_request(api, ana):
    for _ in range(3):
        api.deploy(OPEN)
        ana.call("PATCH", ana.name("a/b"), json={"fields": {}})
        api.deploy(SHUT)
        ana.refused("PATCH", ana.name("a/b"), 403, json={"fields": {}})
        ana.refused("GET", ana.name("a/b"), 403)


class FirebaseCLI:
    """`firebase deploy --only firestore:rules`, call for call as its source makes them (rulesDeploy.ts
    and gcp/rules.ts)."""

    def __init__(self, api):
        self.api = api
        self.calls = []

    def call(self, verb, path, **options):
        self.calls.append(f"{verb} {path.partition('?')[0]}")
        return self.api.request(verb, path, **options)

    def json(self, verb, path, **options):
        answer = self.call(verb, path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def all_releases(self):
        releases, token = [], None
        while True:
            query = {"pageSize": 10, **({"pageToken": token} if token else {})}
            page = self.json("GET", "/releases", params=query)
            releases += page["releases"]
            token = page.get("nextPageToken")
            if not token:
                return sorted(releases, key=lambda one: one["createTime"], reverse=True)

    def deploy(self, content, name="cloud.firestore"):
        """The ruleset that is in force then."""
        project = f"projects/{self.api.project}"
        files = [{"name": "firestore.rules", "content": content}]
        issues = self.json("POST", ":test", json={"source": {"files": files}}).get("issues", [])
        assert not [one for one in issues if one["severity"] == "ERROR"], issues
        prefix = f"{project}/releases/{name}"
        latest = [one for one in self.all_releases() if one["name"].startswith(prefix)][:1]
        ruleset = latest[0]["rulesetName"] if latest else None
        known = ruleset and self.json("GET", ruleset.removeprefix(project))["source"]["files"]
        if known != files:
            body = {"source": {"files": files}}
            ruleset = self.json("POST", "/rulesets", json=body)["name"]
        release = {"name": prefix, "rulesetName": ruleset}
        updated = self.call("PATCH", f"/releases/{name}", json={"release": release})
        if updated.status_code != 200:
            self.json("POST", "/releases", json=release)
        return ruleset


def test_the_clis_deployment(server, api, project, ana):
    """First, with other rules, with the same again, and for a database of its own."""
    cli = FirebaseCLI(api)
    first = cli.deploy(OPEN)
    assert ana.request("GET", ana.name("a/b")).status_code == 404
    assert cli.calls == [
        "POST :test", "GET /releases", "POST /rulesets", "PATCH /releases/cloud.firestore",
    ]
    cli.calls.clear()
    second = cli.deploy(SHUT)
    assert second != first
    ana.refused("GET", ana.name("a/b"), 403)
    known = first.removeprefix(f"projects/{project}")
    assert cli.calls == [
        "POST :test", "GET /releases", f"GET {known}", "POST /rulesets",
        "PATCH /releases/cloud.firestore",
    ]
    assert cli.deploy(SHUT) == second
    cli.deploy(OPEN, "cloud.firestore/orders")
    orders = rest.Rest(server, project, database="orders", token=unsigned(project, "ana"))
    assert orders.request("GET", orders.name("a/b")).status_code == 404
    ana.refused("GET", ana.name("a/b"), 403)
    releases = {one["name"].rpartition("/releases/")[2] for one in cli.all_releases()}
    assert releases == {"cloud.firestore", "cloud.firestore/orders"}


def test_the_clis_creation_of_a_release(api, project, ana):
    """What it does where an update fails; once there is one, creating it again is an error."""
    ruleset = api.create_ruleset(OPEN)
    release = {"name": f"projects/{project}/releases/cloud.firestore", "rulesetName": ruleset["name"]}
    api.call("POST", "/releases", json=release)
    again = api.request("POST", "/releases", json=release)
    assert again.status_code == 409 and again.json()["error"]["status"] == "ALREADY_EXISTS"
    assert ana.request("GET", ana.name("a/b")).status_code == 404


def test_the_clis_making_of_room(api):
    """When there are too many rulesets it deletes the oldest that are not in force."""
    cli = FirebaseCLI(api)
    kept = cli.deploy(OPEN)
    old = [api.create_ruleset(SHUT)["name"] for _ in range(3)]
    history = cli.json("GET", "/rulesets", params={"pageSize": 100})["rulesets"]
    assert [one["name"] for one in history] == [*old[::-1], kept]
    released = {one["rulesetName"] for one in cli.all_releases()}
    for one in [one for one in history if one["name"] not in released][::-1]:
        cli.json("DELETE", f"/rulesets/{one['name'].rsplit('/', 1)[1]}")
    history = cli.json("GET", "/rulesets", params={"pageSize": 100})["rulesets"]
    assert [one["name"] for one in history] == [kept]


def test_a_source_that_does_not_compile(api, ana):
    """The CLI prints `issues` of `:test`; creating such a ruleset is an error."""
    source = {"files": [{"name": "my.rules", "content": BROKEN}]}
    issues = api.call("POST", ":test", json={"source": source})["issues"]
    found = [
        (one["severity"], one["sourcePosition"]["fileName"], one["sourcePosition"]["line"],
         one["description"])
        for one in issues
    ]
    assert found == [
        ("ERROR", "my.rules", 4, "Missing conditional expression after 'if'."),
        ("ERROR", "my.rules", 5, "Missing ':' before 'if' condition."),
    ]
    api.deploy(SHUT)
    refusal = api.request("POST", "/rulesets", json={"source": source})
    assert refusal.status_code == 400
    error = refusal.json()["error"]
    assert error["status"] == "INVALID_ARGUMENT"
    assert error["message"].startswith("Error compiling rules:\nL4:31 Missing conditional")
    assert "L5:28 Missing ':'" in error["message"]
    ana.refused("GET", ana.name("a/b"), 403)


def test_warnings_do_not_stop_a_deployment(api):
    content = rules.service("match /a/{b} { allow read: if nothing(); }")
    source = {"files": [{"name": "firestore.rules", "content": content}]}
    issues = api.call("POST", ":test", json={"source": source})["issues"]
    assert [(one["severity"], one["description"]) for one in issues] == [
        ("WARNING", "Invalid function name: nothing.")
    ]
    api.deploy(content)


def test_rulesets_are_listed_in_pages_and_deleted(api):
    names = [api.create_ruleset(OPEN)["name"] for _ in range(5)]
    seen, token = [], None
    while True:
        page = {"pageSize": 2, **({"pageToken": token} if token else {})}
        answer = api.call("GET", "/rulesets", params=page)
        assert all(set(one) == {"name", "createTime", "metadata"} for one in answer["rulesets"])
        assert len(answer["rulesets"]) <= 2
        seen += [one["name"] for one in answer["rulesets"]]
        token = answer.get("nextPageToken")
        if not token:
            break
    assert seen == names[::-1]
    one = names[0].rsplit("/", 1)[1]
    assert api.call("DELETE", f"/rulesets/{one}") == {}
    assert api.request("GET", f"/rulesets/{one}").json()["error"]["status"] == "NOT_FOUND"
    kept = {"name": names[1]}
    api.release(kept)
    used = api.request("DELETE", f"/rulesets/{names[1].rsplit('/', 1)[1]}")
    assert used.status_code == 400, used.text


def test_rulesets_are_filtered(api, project):
    names = [api.create_ruleset(OPEN) for _ in range(3)]
    ids = [one["name"].rsplit("/", 1)[1] for one in names]

    def found(filter):
        listed = api.call("GET", "/rulesets", params={"filter": filter, "pageSize": 100})["rulesets"]
        return {one["name"].rsplit("/", 1)[1] for one in listed}

    assert found("") == found("name=*") == found('create_time > date("2017-01-01T00:00:00Z")') == set(ids)
    assert found(f"name={ids[0]}") == found(f'name:"{ids[0]}"') == {ids[0]}
    assert found(f"name={ids[1][:13]}*") == {ids[1]}
    assert found(f"name=projects/{project}/rulesets/{ids[2][:13]}*") == {ids[2]}
    assert found("name=projects/another/rulesets/*") == found("name=none") == set()
    middle = names[1]["createTime"]
    assert found(f'create_time >= date("{middle}") AND name=*') == set(ids[1:])
    assert found(f"create_time<date('{middle}') name={ids[0]}") == {ids[0]}
    assert found(f'create_time < date("{middle}") name={ids[1]}') == set()


def test_releases_are_filtered(api, project):
    first, second = api.create_ruleset(OPEN), api.create_ruleset(SHUT)
    for name, ruleset in (
        ("cloud.firestore", first), ("cloud.firestore/orders", first), ("cloud.firestore/x", second),
    ):
        api.release(ruleset, name)

    def found(filter):
        listed = api.call("GET", "/releases", params={"filter": filter})["releases"]
        return [one["name"].partition("/releases/")[2] for one in listed]

    everything = ["cloud.firestore", "cloud.firestore/orders", "cloud.firestore/x"]
    assert found("name=cloud*") == found("ruleset_name=*") == everything
    assert found("name=cloud.firestore") == ["cloud.firestore"]
    assert found("name=cloud.firestore/*") == everything[1:]
    assert found(f"name=projects/{project}/releases/*/orders") == ["cloud.firestore/orders"]
    uuid = first["name"].rsplit("/", 1)[1]
    assert found(f"name=cloud.firestore/* ruleset_name={uuid}") == ["cloud.firestore/orders"]
    assert found(f"rulesetName={first['name']} AND name=*") == everything[:2]
    assert found("test_suite_name=projects/foo/testsuites/uuid1") == []


@pytest.mark.parametrize(
    "path, filter",
    [
        ("/rulesets", "ruleset_name=x"), ("/releases", 'create_time > date("2017-01-01T00:00:00Z")'),
        ("/rulesets", "name"), ("/rulesets", "name="), ("/rulesets", "name > x"),
        ("/rulesets", 'name="x'), ("/rulesets", "create_time > 2017"), ("/rulesets", "AND name=x"),
        ("/rulesets", 'create_time > date("yesterday")'), ("/releases", "name=x OR name=y"),
        ("/releases", "(name=x)"), ("/releases", "-name=x"),
    ],
)
def test_other_filters_are_refused(api, path, filter):
    refusal = api.request("GET", path, params={"filter": filter})
    assert refusal.status_code == 400 and refusal.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_there_are_no_executables(api):
    """Rules run from their source; the answer says so and where that is found."""
    api.deploy(OPEN)
    refusal = api.request("GET", "/releases/cloud.firestore:getExecutable")
    assert refusal.status_code == 501 and refusal.json()["error"]["status"] == "UNIMPLEMENTED"
    assert "source" in refusal.json()["error"]["message"]


def test_a_deleted_release_leaves_what_there_was_before(api, ana):
    api.deploy(SHUT)
    ana.refused("GET", ana.name("a/b"), 403)
    assert api.call("DELETE", "/releases/cloud.firestore") == {}
    # Development without rules allows, as the emulator does; production denies.
    assert ana.request("GET", ana.name("a/b")).status_code == 404
    assert api.request("DELETE", "/releases/cloud.firestore").status_code == 404
    assert api.request("GET", "/releases/cloud.firestore").status_code == 404


def test_only_administrators(server, project, api):
    """Users never; development leaves its administration open to those without a token."""
    api.deploy(SHUT)
    client = rules.RulesAPI(server.url, project, token=unsigned(project, "ana", admin=True))
    for verb, path, body in (
        ("GET", "/rulesets", None), ("GET", "/releases", None), ("POST", ":test", {}),
        ("POST", "/rulesets", {"source": {"files": [{"name": "f", "content": OPEN}]}}),
        ("GET", "/releases/cloud.firestore", None), ("DELETE", "/releases/cloud.firestore", None),
        ("PATCH", "/releases/cloud.firestore", {"release": {}}), ("POST", "/releases", {}),
        ("GET", "/releases/cloud.firestore:getExecutable", None),
    ):
        answer = client.request(verb, path, json=body)
        assert answer.status_code == 403, f"{verb} {path}: {answer.status_code}"
        assert set(answer.json()) == {"error"} and "allow" not in answer.text
    put = requests.put(
        f"{server.url}/emulator/v1/projects/{project}:securityRules",
        json={"rules": {"files": [{"content": OPEN}]}},
        headers={"Authorization": f"Bearer {unsigned(project, 'ana')}"},
        timeout=30,
    )
    assert put.status_code == 403


@pytest.mark.parametrize(
    "verb,path,body",
    [
        ("POST", "/rulesets", {}),
        ("POST", "/rulesets", {"source": {"files": []}}),
        ("POST", "/rulesets", {"source": {"files": [{"name": "a"}]}}),
        ("POST", "/rulesets", {"sauce": {}}),
        ("PATCH", "/releases/cloud.firestore", {"release": {"rulesetName": "x"}}),
        ("PATCH", "/releases/nonsense", {"release": {"rulesetName": "projects/{p}/rulesets/x"}}),
        ("POST", ":test", {"source": {"files": [{"content": OPEN}]}, "testSuite": {"testCases": [{}]}}),
    ],
)
def test_malformed_requests(api, project, verb, path, body):
    text = json.dumps(body).replace("{p}", project)
    answer = api.request(verb, path, data=text)
    assert answer.status_code in (400, 404), answer.text
    assert answer.json()["error"]["status"] in ("INVALID_ARGUMENT", "NOT_FOUND")


def case(expectation, uid, owner, **more):
    return {
        "expectation": expectation,
        "request": {
            "auth": {"uid": uid, "token": {}} if uid else None,
            "method": "get",
            "path": "/databases/(default)/documents/products/p1",
            "time": "2026-01-31T12:00:00Z",
        },
        "resource": {"data": {"userId": owner}},
        **more,
    }


def test_cases_of_the_test_api(api):
    body = {
        "source": {"files": [{"name": "firestore.rules", "content": rules.PRODUCTS}]},
        "testSuite": {"testCases": [
            case("ALLOW", "ana", "ana"), case("DENY", "bob", "ana"), case("DENY", None, "ana"),
            case("ALLOW", "bob", "ana"),
        ]},
    }
    results = api.call("POST", ":test", json=body)["testResults"]
    assert [one["state"] for one in results] == ["SUCCESS", "SUCCESS", "SUCCESS", "FAILURE"]
    assert any("resource.data.userId = \"ana\"" in text for text in results[3]["debugMessages"])
    name = api.create_ruleset(rules.PRODUCTS)["name"].rsplit("/", 1)[1]
    kept = api.call("POST", f"/rulesets/{name}:test", json={"testSuite": body["testSuite"]})
    assert kept["testResults"] == results


def test_mocks_and_reports_of_the_test_api(api):
    content = rules.service(
        "match /products/{id} { allow get: if "
        "get(/databases/$(database)/documents/users/$(request.auth.uid)).data.role == 'admin'; }"
    )
    users = "/databases/(default)/documents/users/ana"

    def mock(role, argument):
        return {
            "function": "get", "args": [argument], "result": {"value": {"data": {"role": role}}}
        }

    cases = [
        case("ALLOW", "ana", "x", functionMocks=[mock("admin", {"exactValue": users})]),
        case("DENY", "ana", "x", functionMocks=[mock("guest", {"anyValue": {}})]),
        case("DENY", "bob", "x", functionMocks=[mock("admin", {"exactValue": users})]),
        case("DENY", "ana", "x"),
        case("ALLOW", "ana", "x", functionMocks=[mock("admin", {"anyValue": {}})],
             expressionReportLevel="FULL"),
        case("ALLOW", "ana", "x", functionMocks=[mock("admin", {"anyValue": {}})],
             expressionReportLevel="VISITED"),
    ]
    body = {
        "source": {"files": [{"name": "firestore.rules", "content": content}]},
        "testSuite": {"testCases": cases},
    }
    results = api.call("POST", ":test", json=body)["testResults"]
    assert [one["state"] for one in results] == ["SUCCESS"] * 6
    assert results[0]["functionCalls"] == [{"function": "get", "args": [users]}]
    report = results[4]["expressionReports"][0]
    assert report["values"] == [{"value": {"boolValue": True}, "count": 1}]
    assert report["sourcePosition"]["line"] == 4
    assert {"stringValue": "admin"} in [
        value["value"] for child in report["children"] for value in child["values"]
    ]
    assert results[5]["visitedExpressions"][0]["value"] is True


def test_the_emulators_put(server, project, ana):
    assert rules.put(server, project, SHUT).json() == {}
    ana.refused("GET", ana.name("a/b"), 403)
    warned = rules.put(server, project, rules.service("match /a/{b} { allow read: if x; }"))
    assert warned.status_code == 200
    assert warned.json()["issues"] == [{
        "sourcePosition": {"line": 4, "column": 31, "currentOffset": 117, "endOffset": 117},
        "description": "Invalid variable name: x.",
        "severity": "WARNING",
    }]
    refused = rules.put(server, project, BROKEN)
    assert refused.status_code == 400
    assert refused.json()["error"]["message"].startswith("Error compiling rules:\nL4:31 ")
    source = requests.get(
        f"{server.url}/emulator/v1/projects/{project}:securityRules", timeout=30
    ).json()
    assert "if x;" in source["rules"]["files"][0]["content"]


@pytest.mark.one_process("each counts what it has decided")
def test_coverage_counts_every_evaluation_once(server, project, ana):
    owner = rest.Rest(server, project)
    owner.call("PATCH", owner.name("products/p1"), json={"fields": {"userId": {"stringValue": "ana"}}})
    content = rules.service(
        "match /products/{id} {\n"
        "allow get: if resource.data.userId == request.auth.uid\n"
        "|| exists(/databases/$(database)/documents/users/$(request.auth.uid));\n"
        "allow delete: if resource.data.never == 1;\n}"
    )
    rules.put(server, project, content)
    ana.documents("GET", "products/p1")
    for uid in ("bob", "eve"):
        other = rest.Rest(server, project, token=unsigned(project, uid))
        other.refused("GET", other.name("products/p1"), 403)
    base = f"{server.url}/emulator/v1/projects/{project}:ruleCoverage"
    coverage = requests.get(base, timeout=30).json()
    assert coverage["rules"]["files"][0]["content"] == content
    condition, unused = coverage["report"]
    assert condition["values"] == [
        {"value": {"boolValue": True}, "count": 1}, {"value": {"boolValue": False}, "count": 2},
    ]
    equal, exists = condition["children"]
    assert equal["values"] == condition["values"]
    assert exists["values"] == [{"value": {"boolValue": False}, "count": 2}]
    assert "values" not in unused and unused["sourcePosition"]["line"] == 7
    page = requests.get(base + ".html", timeout=30)
    assert page.headers["Content-Type"].startswith("text/html")
    assert "true 1, false 2" in page.text and "never evaluated" in page.text


def test_the_same_paths_below_documents_stay_documents(server, project, http):
    """Names of the rules API are ids like others elsewhere."""
    rules.RulesAPI(server.url, project).deploy(OPEN)
    for path in ("releases/cloud.firestore", "rulesets/a", "rulesets/b/releases/c"):
        http.call("PATCH", http.name(path), json={"fields": {"n": {"integerValue": "1"}}})
        assert http.call("GET", http.name(path))["fields"] == {"n": {"integerValue": "1"}}


def test_production_takes_rules_from_administrators_only(production):
    for token in (None, "owner", unsigned(servers.PROJECT, "ana")):
        api = rules.RulesAPI(production.url, servers.PROJECT, token=token, verify=production.authority)
        for verb, path in (
            ("GET", "/rulesets"), ("POST", "/rulesets"), ("GET", "/releases"), ("POST", ":test"),
            ("PATCH", "/releases/cloud.firestore"), ("DELETE", "/releases/cloud.firestore"),
        ):
            answer = api.request(verb, path, json={})
            assert answer.status_code in (401, 403), f"{token} {verb} {path}: {answer.status_code}"
    key = production.administrator_key
    admin = rules.RulesAPI(production.url, servers.PROJECT, token=key, verify=production.authority)
    admin.deploy(SHUT)
    assert len(admin.call("GET", "/releases")["releases"]) == 1


def test_production_has_no_emulator_routes(production):
    url = f"{production.url}/emulator/v1/projects/{servers.PROJECT}"
    headers = {"Authorization": f"Bearer {production.administrator_key}"}
    for verb, path in (
        ("PUT", ":securityRules"), ("GET", ":securityRules"), ("GET", ":ruleCoverage"),
        ("GET", ":ruleCoverage.html"),
    ):
        answer = requests.request(
            verb, url + path, json={}, headers=headers, verify=production.authority, timeout=30
        )
        assert answer.status_code == 404, f"{verb} {path}"


def emulator_put(server, project, source):
    return requests.put(
        f"{server.url}/emulator/v1/projects/{project}:securityRules",
        json={"rules": {"files": [{"content": source}]}},
        timeout=30,
    )


@pytest.fixture
def alone(tmp_path):
    """A development server whose rules concern no other test."""
    running = servers.Brasa(tmp_path / "data").start()
    yield running
    assert running.stop() == 0


def test_the_emulator_of_storage_takes_rules_for_a_bucket_or_for_all(alone):
    """The answers are those that @firebase/rules-unit-testing and Google's emulator know."""
    url = f"{alone.url}/internal/setRules"
    source = "rules_version='2'; service firebase.storage { match /b/{b}/o { match /{a=**} { allow read; } } }"
    for file in (
        {"name": "storage.rules", "content": source},
        {"name": "storage.rules", "content": source, "resource": "photos"},
    ):
        answer = requests.put(url, json={"rules": {"files": [file]}}, timeout=30)
        assert (answer.status_code, answer.json()) == (200, {"message": "Rules updated successfully"})
    for body in (
        {}, {"rules": {"files": []}}, {"rules": {"files": [{"name": "a"}]}},
        {"rules": {"files": [{"name": "a", "content": "service firebase.storage {"}]}},
        {"rules": {"files": [{"name": "a", "content": OPEN}]}},
    ):
        assert requests.put(url, json=body, timeout=30).status_code == 400, body


def test_rules_of_another_service_are_taken_and_allow_nothing(server, project, api, ana):
    """As Google's emulator answers its PUT; a release says which service it is for and needs it."""
    others = (
        "rules_version = '2'; service firebase.storage { match /b/{b}/o { match /{a=**} { allow read; } } }"
    )
    assert emulator_put(server, project, OPEN).status_code == 200
    ana.call("PATCH", ana.name("a/b"), json={"fields": {}})
    answer = emulator_put(server, project, others)
    assert (answer.status_code, answer.json()) == (200, {})
    ana.refused("GET", ana.name("a/b"), 403)
    unused = emulator_put(server, project, "rules_version='2'; function f() { return true; }")
    assert [issue["description"] for issue in unused.json()["issues"]] == ["Unused function: f."]
    ana.refused("GET", ana.name("a/b"), 403)
    ruleset = api.create_ruleset(others)
    body = {"release": {
        "name": f"projects/{project}/releases/cloud.firestore", "rulesetName": ruleset["name"],
    }}
    assert api.request("PATCH", "/releases/cloud.firestore", json=body).status_code == 400


@pytest.mark.parametrize("mask,transforms,expected", [
    (None, [], "null"), (["b", "a"], [], "['a', 'b']"), (["m.x"], [], "['m.x']"), ([], [], "[]"),
    (["zz"], [], "['zz']"), (["b", "a"], ["t", "c"], "['t', 'c', 'a', 'b']"), (None, ["t"], "['t']"),
])
def test_write_fields_are_those_of_transforms_and_mask(
    server, project, ana, mask, transforms, expected
):
    """As Google's emulator was seen to answer."""
    condition = f"request.writeFields == {expected} && request.readFields == null"
    condition += " && !('fields' in request)"
    condition += f" && request.transforms == {'null' if not transforms else transforms}"
    assert emulator_put(
        server, project, rules.service(f"match /a/{{b}} {{ allow write: if {condition}; }}")
    ).status_code == 200
    values = {name: {"integerValue": "1"} for name in ("a", "b", "c")}
    values["m"] = {"mapValue": {"fields": {"x": {"integerValue": "1"}}}}
    write = {"update": {"name": ana.name("a/b"), "fields": values}}
    if mask is not None:
        write["updateMask"] = {"fieldPaths": mask}
    if transforms:
        write["updateTransforms"] = [
            {"fieldPath": name, "setToServerValue": "REQUEST_TIME"} for name in transforms
        ]
    ana.documents("POST", ":commit", json={"writes": [write]})


def test_no_write_fields_where_nothing_is_written(server, project, ana):
    condition = "!('writeFields' in request) && request.fields == null"
    assert emulator_put(
        server, project, rules.service(f"match /a/{{b}} {{ allow read: if {condition}; }}")
    ).status_code == 200
    assert ana.request("GET", ana.name("a/b")).status_code == 404

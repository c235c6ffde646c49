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


def test_the_clis_deployment(api, project, ana):
    source = {"files": [{"name": "firestore.rules", "content": OPEN}]}
    assert api.call("POST", ":test", json={"source": source}) == {}
    ruleset = api.call("POST", "/rulesets", json={"source": source})
    release = {"name": f"projects/{project}/releases/cloud.firestore", "rulesetName": ruleset["name"]}
    api.call("POST", "/releases", json=release)
    again = api.request("POST", "/releases", json=release)
    assert again.status_code == 409 and again.json()["error"]["status"] == "ALREADY_EXISTS"
    listed = api.call("GET", "/releases")["releases"]
    assert [one["name"] for one in listed] == [release["name"]]
    assert ana.request("GET", ana.name("a/b")).status_code == 404


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
        assert all(set(one) == {"name", "createTime"} for one in answer["rulesets"])
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


@pytest.fixture(scope="module")
def production(tmp_path_factory, certificates, authority):
    data = tmp_path_factory.mktemp("production") / "data"
    running = servers.Brasa.production(
        data, certificates, environment={"BRASA_PROJECT": "shop"}
    ).start()
    running.authority = str(authority)
    yield running
    running.kill()


def test_production_takes_rules_from_administrators_only(production):
    url = f"https://localhost:{production.port}"
    for token in (None, "owner", unsigned("shop", "ana")):
        api = rules.RulesAPI(url, "shop", token=token, verify=production.authority)
        for verb, path in (
            ("GET", "/rulesets"), ("POST", "/rulesets"), ("GET", "/releases"), ("POST", ":test"),
            ("PATCH", "/releases/cloud.firestore"), ("DELETE", "/releases/cloud.firestore"),
        ):
            answer = api.request(verb, path, json={})
            assert answer.status_code in (401, 403), f"{token} {verb} {path}: {answer.status_code}"
    key = production.administrator_key
    admin = rules.RulesAPI(url, "shop", token=key, verify=production.authority)
    admin.deploy(SHUT)
    assert len(admin.call("GET", "/releases")["releases"]) == 1


def test_production_has_no_emulator_routes(production):
    url = f"https://localhost:{production.port}/emulator/v1/projects/shop"
    headers = {"Authorization": f"Bearer {production.administrator_key}"}
    for verb, path in (
        ("PUT", ":securityRules"), ("GET", ":securityRules"), ("GET", ":ruleCoverage"),
        ("GET", ":ruleCoverage.html"),
    ):
        answer = requests.request(
            verb, url + path, json={}, headers=headers, verify=production.authority, timeout=30
        )
        assert answer.status_code == 404, f"{verb} {path}"

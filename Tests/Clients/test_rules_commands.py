"""`brasa rules …`: testing, explaining, deploying; on a running server and on a directory at rest."""

import json

import pytest
import requests

from support import rest, rules, server as servers
from support.tokens import unsigned

pytestmark = pytest.mark.brasa_only

PROJECT = "shop"
SHUT = rules.service("match /{any=**} { allow read, write: if false; }")


@pytest.fixture
def rules_file(tmp_path):
    path = tmp_path / "firestore.rules"
    path.write_text(rules.PRODUCTS)
    return path


@pytest.fixture
def own(tmp_path):
    """A development server that the test may stop and start again."""
    running = servers.Brasa(tmp_path / "data").start()
    yield running
    running.kill()


def case(expectation, method, uid, owner, new_owner=None, **more):
    request = {
        "auth": {"uid": uid, "token": {}} if uid else None,
        "method": method,
        "path": "/databases/(default)/documents/products/p1",
    }
    if new_owner:
        request["resource"] = {"data": {"userId": new_owner}}
    resource = {"resource": {"data": {"userId": owner}}} if owner else {}
    return {"expectation": expectation, "request": request, **resource, **more}


def suite(tmp_path, *cases):
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"testCases": list(cases)}))
    return path


def test_cases_with_their_reasons_and_the_coverage(tmp_path, rules_file):
    cases = suite(
        tmp_path,
        case("ALLOW", "get", "ana", "ana"),
        case("DENY", "get", "bob", "ana"),
        case("ALLOW", "create", "ana", None, "ana"),
        case("DENY", "update", "ana", "ana", "bob"),
    )
    done = servers.run("rules", "test", cases, "--rules", rules_file)
    lines = done.stdout.splitlines()
    assert lines[0] == "pass  1  get /databases/(default)/documents/products/p1 by ana: allowed"
    assert any(line.startswith("pass  2  ") and line.endswith("by bob: denied") for line in lines)
    assert '          resource.data.userId = "ana"' in lines
    assert any(line.strip().startswith("not allowed by line 7: allow read, delete") for line in lines)
    assert lines[-1] == "4 of 4 cases passed"
    assert any("expressions evaluated" in line for line in lines)
    assert any(line.strip().endswith("true 1, false 1") for line in lines)


def test_a_file_of_cases_may_have_comments(tmp_path, rules_file):
    path = tmp_path / "cases.json"
    path.write_text("// who may look\n" + json.dumps({"testCases": [case("ALLOW", "get", "ana", "ana")]}) + " /* end */")
    assert servers.run("rules", "test", path, "--rules", rules_file).stdout.endswith("1 of 1 case passed\n")


def test_a_failed_case_is_the_exit_code(tmp_path, rules_file):
    cases = suite(tmp_path, case("ALLOW", "get", "ana", "ana"), case("ALLOW", "get", "bob", "ana"))
    done = servers.run("rules", "test", cases, "--rules", rules_file, "--no-coverage", check=False)
    assert done.returncode == 1
    assert "FAIL  2  " in done.stdout and "denied, expected to be allowed" in done.stdout
    assert "1 of 2 cases passed" in done.stdout and "evaluated" not in done.stdout


def test_a_whole_request_of_the_test_api_is_a_file_of_cases(tmp_path):
    path = tmp_path / "body.json"
    path.write_text(json.dumps({
        "source": {"files": [{"name": "my.rules", "content": rules.PRODUCTS}]},
        "testSuite": {"testCases": [case("ALLOW", "delete", "ana", "ana")]},
    }))
    assert "my.rules: " in servers.run("rules", "test", path).stdout


def test_documents_and_types_of_a_case(tmp_path):
    path = tmp_path / "f.rules"
    path.write_text(rules.service(
        "match /products/{id} { allow get: if resource.data.at is timestamp && "
        "get(/databases/$(database)/documents/users/$(request.auth.uid)).data.role == 'admin'; }"
    ))
    typed = {"fields": {"at": {"timestampValue": "2026-01-01T00:00:00Z"}}}
    good = case("ALLOW", "get", "ana", None, resource=typed, data={"users/ana": {"role": "admin"}})
    bad = case("DENY", "get", "ana", None, resource=typed, data={"users/ana": {"role": "guest"}})
    none = case("DENY", "get", "ana", None, resource=typed)
    servers.run("rules", "test", suite(tmp_path, good, bad, none), "--rules", path)


def test_rules_with_errors_are_refused_with_all_of_them(tmp_path, own):
    path = tmp_path / "bad.rules"
    path.write_text(rules.service(
        "match /a/{b} { allow read: if ; }\nmatch /c/{d} { allow write if true; }"
    ))
    for command in (
        ("rules", "deploy", path, "--project", PROJECT, "--data", own.data),
        ("rules", "test", suite(tmp_path), "--rules", path),
    ):
        done = servers.run(*command, check=False)
        assert done.returncode == 1
        assert "bad.rules:4:31: error: Missing conditional expression after 'if'." in done.stderr
        assert "bad.rules:5:28: error: Missing ':' before 'if' condition." in done.stderr


def test_deployed_rules_hold_at_once_and_survive_a_restart(own, rules_file):
    ana = rest.Rest(own, PROJECT, token=unsigned(PROJECT, "ana"))
    path = ana.name("products/p1")
    ana.call("PATCH", path, json={"fields": {"userId": {"stringValue": "bob"}}})
    where = ("--project", PROJECT, "--data", own.data)
    servers.run("rules", "deploy", rules_file, *where)
    ana.refused("GET", path, 403)
    assert servers.run("rules", "show", *where).stdout == rules.PRODUCTS + "\n"
    listed = servers.run("rules", "list", *where).stdout
    assert listed.startswith("in force  cloud.firestore  ") and "\nkept  " in listed
    own.stop()
    own.start()
    ana = rest.Rest(own, PROJECT, token=unsigned(PROJECT, "ana"))
    ana.refused("GET", path, 403)
    own.kill()
    own.start()
    ana = rest.Rest(own, PROJECT, token=unsigned(PROJECT, "ana"))
    ana.refused("GET", path, 403)


def test_rules_are_deployed_to_a_directory_at_rest(tmp_path, own, rules_file):
    own.stop()
    where = ("--project", PROJECT, "--data", own.data)
    servers.run("rules", "deploy", rules_file, *where)
    assert "cloud.firestore" in servers.run("rules", "list", *where).stdout
    shut = tmp_path / "shut.rules"
    shut.write_text(SHUT)
    servers.run("rules", "deploy", shut, "--database", "orders", *where)
    own.start()
    ana = rest.Rest(own, PROJECT, token=unsigned(PROJECT, "ana"))
    ana.call("PATCH", ana.name("products/p1"), json={"fields": {"userId": {"stringValue": "ana"}}})
    orders = rest.Rest(own, PROJECT, database="orders", token=unsigned(PROJECT, "ana"))
    orders.refused("PATCH", orders.name("products/p1"), 403, json={"fields": {}})


def test_an_explanation_with_the_servers_data(own, rules_file):
    owner = rest.Rest(own, PROJECT)
    owner.call(
        "PATCH", owner.name("products/p1"), json={"fields": {"userId": {"stringValue": "bob"}}}
    )
    where = ("--project", PROJECT, "--data", own.data)
    servers.run("rules", "deploy", rules_file, *where)

    def explain(*arguments):
        return servers.run("rules", "explain", *arguments, *where).stdout.splitlines()

    lines = explain("get", "products/p1", "--uid", "ana")
    assert lines[0].startswith("not allowed by line 7: allow read, delete")
    assert '    resource.data.userId = "bob"' in lines and '    request.auth.uid = "ana"' in lines
    assert lines[-1] == "denied"
    assert explain("get", "products/p1", "--uid", "bob")[-1] == "allowed"
    assert explain("list", "products", "--uid", "bob")[-1] == "denied"
    query = json.dumps({"where": {"fieldFilter": {
        "field": {"fieldPath": "userId"}, "op": "EQUAL", "value": {"stringValue": "bob"},
    }}})
    assert explain("list", "products", "--uid", "bob", "--query", query)[-1] == "allowed"
    new = json.dumps({"userId": "ana"})
    update = ("update", "products/p1", "--uid", "bob", "--new-resource", new)
    assert explain(*update)[-1] == "denied"
    own.stop()
    assert explain("get", "products/p1", "--uid", "bob")[-1] == "allowed"


def test_an_explanation_without_a_server(rules_file):
    def explain(*arguments):
        documents = json.dumps({"products/p1": {"userId": "ana"}})
        command = ("rules", "explain", *arguments, "--rules", rules_file, "--documents", documents)
        return servers.run(*command).stdout.splitlines()

    assert explain("delete", "products/p1", "--uid", "ana")[-1] == "allowed"
    assert explain("delete", "products/p1")[-1] == "denied"
    assert explain("get", "elsewhere/x", "--uid", "ana") == [
        "no allow statement matches the path and the method", "denied",
    ]


def test_rules_open_a_project_to_its_people(tmp_path, rules_file):
    production = servers.Brasa(tmp_path / "data", development=False).start()

    def sign_up():
        return requests.post(
            f"{production.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key={PROJECT}",
            json={"email": "ana@example.com", "password": "nobody guesses this"}, timeout=30,
        )

    try:
        unknown = sign_up()
        assert (unknown.status_code, unknown.json()["error"]["errors"][0]["reason"]) == (
            400, "keyInvalid",
        )
        servers.run(
            "rules", "deploy", rules_file, "--project", PROJECT, "--data", tmp_path / "data"
        )
        signed_up = sign_up()
        assert signed_up.status_code == 200, signed_up.text
    finally:
        production.kill()


@pytest.mark.parametrize("content,reason", [
    ("not json", "JSON"), ("[1]", "testSuite"), ('{"cases": []}', "cases"),
    ('{"testCases": [{"expectation": "PERHAPS"}]}', "must be ALLOW or DENY"),
])
def test_a_file_that_is_no_file_of_cases_is_told_in_words(tmp_path, rules_file, content, reason):
    path = tmp_path / "cases.json"
    path.write_text(content)
    done = servers.run("rules", "test", path, "--rules", rules_file, check=False)
    assert done.returncode != 0 and done.stdout == ""
    assert f"{path} is not a file of cases." in done.stderr and reason in done.stderr
    assert "ServiceError" not in done.stderr and "metadata" not in done.stderr


def test_json_options_that_are_none_are_told_in_words(tmp_path, rules_file):
    done = servers.run(
        "rules", "explain", "get", "products/p1", "--uid", "ana", "--project", PROJECT,
        "--rules", rules_file, "--documents", "{", check=False,
    )
    assert done.returncode != 0 and done.stderr.startswith("Error: ")
    assert "ServiceError" not in done.stderr


def test_counts_agree_with_their_nouns(tmp_path, own, rules_file):
    one = suite(tmp_path, case("ALLOW", "get", "ana", "ana"))
    assert "1 of 1 case passed" in servers.run("rules", "test", one, "--rules", rules_file).stdout
    owner = rest.Rest(own, PROJECT)
    owner.documents("PATCH", "a/b", json={"fields": {"n": {"integerValue": "1"}}})
    where = ("--data", own.data)
    servers.run("rules", "deploy", rules_file, "--project", PROJECT, *where)
    for command, text in (
        (("verify", *where), "1 document, "),
        (("databases", "list", *where), "1 database\n"),
        (("rules", "list", "--project", PROJECT, *where), "1 release, 1 ruleset"),
        (("export", tmp_path / "out", "--project", PROJECT, *where), "1 document of"),
    ):
        done = servers.run(*command)
        assert text in done.stdout + done.stderr, done.stdout + done.stderr

"""What the Firebase CLI sends, request by request, and how it has to end: methods, paths and bodies are the CLI's own."""

import base64
import json
import time

import jwt
import pytest
import requests

from support import secrets, server as servers

pytestmark = pytest.mark.brasa_only

RULES = "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow read; } } }"


class CommandLine:
    """The CLI's requests in emulator mode: an `http://` origin makes it send `Bearer owner`."""

    def __init__(self, server, token="owner"):
        self.server = server
        self.headers = {"Authorization": f"Bearer {token}", "User-Agent": "FirebaseCLI/15.18.0"}

    def send(self, method, path, body=None, status=200, **options):
        made = requests.request(
            method, self.server.url + path, json=body, headers=self.headers,
            verify=self.server.authority, timeout=30, allow_redirects=False, **options,
        )
        assert made.status_code == status, made.text
        return made.json() if made.content else None


@pytest.fixture(scope="module")
def server(own_server):
    """A list of all projects has to have room for those of the tests."""
    return own_server


@pytest.fixture
def cli(server):
    return CommandLine(server)


def test_a_deployment_of_rules_and_indexes(cli, project):
    host = cli.server.host.split(":")[0]
    for name in ["firestore.googleapis.com", "firebaserules.googleapis.com", host]:
        assert cli.send("GET", f"/v1/projects/{project}/services/{name}")["state"] == "ENABLED"
    assert cli.send("GET", f"/v1/projects/{project}/services/translate.googleapis.com")["state"] == "DISABLED"
    refused = cli.send("POST", f"/v1/projects/{project}/services/translate.googleapis.com:enable", {}, 400)
    assert "translate.googleapis.com" in refused["error"]["message"]
    database = f"/v1/projects/{project}/databases/(default)"
    filtered = f"{database}/collectionGroups/-/fields?filter=indexConfig.usesAncestorConfig%3Dfalse+OR+ttlConfig%3A*"
    assert cli.send("GET", filtered) == {}
    assert cli.send("GET", f"{database}/collectionGroups/-/fields?filter=name%3Dx", status=400)
    source = {"files": [{"name": "firestore.rules", "content": RULES}]}
    assert cli.send("POST", f"/v1/projects/{project}:test", {"source": source}) == {}
    ruleset = cli.send(
        "POST", f"/v1/projects/{project}/rulesets",
        {"source": source, "attachment_point": f"firestore.googleapis.com/projects/{project}/databases/other"},
    )["name"]
    released = cli.send(
        "PATCH", f"/v1/projects/{project}/releases/cloud.firestore/other",
        {"release": {"name": f"projects/{project}/releases/cloud.firestore/other", "rulesetName": ruleset}},
    )
    assert released["rulesetName"] == ruleset


def test_a_database_is_created_as_the_newest_command_line_asks(cli, project):
    body = {
        "type": "FIRESTORE_NATIVE", "locationId": "nam5", "deleteProtectionState": "DELETE_PROTECTION_DISABLED",
        "pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_DISABLED", "databaseEdition": "STANDARD",
        "firestoreDataAccessMode": "DATA_ACCESS_MODE_ENABLED",
        "mongodbCompatibleDataAccessMode": "DATA_ACCESS_MODE_DISABLED",
    }
    root = f"/v1/projects/{project}/databases?databaseId="
    assert cli.send("POST", root + "second", body)["done"]
    refused = cli.send("POST", root + "third", body | {"mongodbCompatibleDataAccessMode": "DATA_ACCESS_MODE_ENABLED"}, 400)
    assert "mongodbCompatibleDataAccessMode" in refused["error"]["message"]


def test_a_database_is_updated_and_shown_as_the_command_line_asks(cli, project):
    cli.send("POST", f"/v1/projects/{project}/databases?databaseId=second", {"type": "FIRESTORE_NATIVE", "locationId": "nam5"})
    name = f"/v1/projects/{project}/databases/second"
    change = {"deleteProtectionState": "DELETE_PROTECTION_ENABLED", "pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_ENABLED"}
    assert cli.send("PATCH", f"{name}?updateMask=deleteProtectionState,pointInTimeRecoveryEnablement", change)["done"]
    shown = cli.send("GET", name)
    assert {key: shown[key] for key in change} == change
    assert any(one["name"].endswith("/second") for one in cli.send("GET", f"/v1/projects/{project}/databases")["databases"])
    refused = cli.send("DELETE", name, status=400)
    assert refused["error"]["status"] == "FAILED_PRECONDITION"


def test_accounts_are_exported_with_their_hashes(cli, project):
    made = cli.send("POST", f"/v1/projects/{project}/accounts", {"email": "ana@example.com", "password": secrets.note("secret1")})
    exported = cli.send("GET", f"/v1/projects/{project}/accounts:batchGet?maxResults=1000")["users"]
    assert [user["localId"] for user in exported] == [made["localId"]]
    assert base64.urlsafe_b64decode(exported[0]["passwordHash"] + "==") and exported[0]["salt"]
    config = cli.send("GET", f"/admin/v2/projects/{project}/config")["signIn"]["hashConfig"]
    assert config["algorithm"] == "SCRYPT" and base64.b64decode(config["signerKey"])


def test_rules_of_files_are_deployed(cli, project):
    bucket = cli.send("GET", f"/v1alpha/projects/{project}/defaultBucket")["bucket"]["name"].split("/")[-1]
    content = "rules_version = '2';\nservice firebase.storage { match /b/{b}/o { match /{p=**} { allow read; } } }"
    source = {"files": [{"name": "storage.rules", "content": content}]}
    ruleset = cli.send("POST", f"/v1/projects/{project}/rulesets", {"source": source})["name"]
    name = f"projects/{project}/releases/firebase.storage/{bucket}"
    released = cli.send("PATCH", f"/v1/{name}", {"release": {"name": name, "rulesetName": ruleset}})
    assert released["rulesetName"] == ruleset
    assert cli.send("GET", f"/v1/{name}")["rulesetName"] == ruleset


def test_a_project_is_named_by_its_number_once_it_was_read(cli, project):
    cli.send("POST", f"/v1/projects/{project}/databases/(default)/documents/a", {"fields": {}})
    read = cli.send("GET", f"/v1/projects/{project}")
    number = read["projectNumber"]
    assert read == {
        "projectId": project, "projectNumber": number, "lifecycleState": "ACTIVE", "name": project,
    }
    template = {"parameters": {"greeting": {"defaultValue": {"value": "hi"}}}}
    put = requests.put(
        f"{cli.server.url}/v1/projects/{number}/remoteConfig", json=template,
        headers=cli.headers | {"If-Match": "*"}, timeout=30,
    )
    assert put.status_code == 200, put.text
    read = cli.send("GET", f"/v1/projects/{project}/remoteConfig")
    assert read["parameters"]["greeting"]["defaultValue"] == {"value": "hi"}
    assert cli.send("GET", f"/v1/projects/{number}/namespaces/firebase/experiments?pageSize=10") == {"experiments": []}
    assert cli.send("GET", f"/v1/projects/{number}/namespaces/firebase/rollouts") == {"rollouts": []}


def test_the_preliminaries_of_a_deployment(cli, project):
    asked = ["firebase.projects.get", "firebasehosting.sites.update", "iam.serviceAccounts.actAs"]
    held = cli.send("POST", f"/v1/projects/{project}:testIamPermissions", {"permissions": asked})
    assert held == {"permissions": asked}
    assert cli.send("GET", f"/v1/projects/{project}/billingInfo")["billingEnabled"] is True
    assert cli.send("POST", f"/v1/projects/{project}:getIamPolicy", {})["bindings"] == []
    agent = f"/v1/projects/{project}/serviceAccounts/{project}@appspot.gserviceaccount.com:testIamPermissions"
    assert cli.send("POST", agent, {"permissions": ["iam.serviceAccounts.actAs"]})["permissions"]
    agent = {"role": "roles/run.invoker", "members": ["serviceAccount:service-1@gcp-sa-pubsub.iam.gserviceaccount.com"]}
    policy = cli.send("POST", f"/v1/projects/{project}:setIamPolicy", {"policy": {"bindings": [agent]}})
    assert policy["bindings"] == [agent]
    person = {"role": "roles/owner", "members": ["user:eve@example.com"]}
    refused = cli.send("POST", f"/v1/projects/{project}:setIamPolicy", {"policy": {"bindings": [person]}}, 400)
    assert "brasa console invite" in refused["error"]["message"]
    bucket = cli.send("GET", f"/v1alpha/projects/{project}/defaultBucket")["bucket"]["name"]
    assert bucket.split("/")[-1] == f"{project}.appspot.com"
    assert cli.send("GET", f"/v1/projects/{project}/locations")["locations"][0]["locationId"] == "local"


@pytest.mark.parametrize(
    "kind, bundle, file",
    [("webApps", {}, None), ("iosApps", {"bundleId": "com.example.shop"}, "GoogleService-Info.plist"),
     ("androidApps", {"packageName": "com.example.shop"}, "google-services.json")],
)
def test_apps_are_created_listed_configured_and_removed(cli, project, kind, bundle, file):
    root = f"/v1beta1/projects/{project}/{kind}"
    operation = cli.send("POST", root, {"displayName": "Shop"} | bundle)
    # The CLI asks for the operation at least once.
    done = cli.send("GET", f"/v1beta1/{operation['name']}")
    assert done["done"] and done["response"]["displayName"] == "Shop"
    app = done["response"]["appId"]
    assert [one["appId"] for one in cli.send("GET", f"{root}?pageSize=100")["apps"]] == [app]
    found = cli.send("GET", f"/v1beta1/projects/{project}:searchApps?pageSize=100")["apps"]
    assert [one["platform"] for one in found] == [kind.removesuffix("Apps").upper()]
    config = cli.send("GET", f"/v1beta1/projects/-/{kind}/{app}/config")
    if file:
        assert config["configFilename"] == file
        assert project in base64.b64decode(config["configFileContents"]).decode()
    else:
        assert config["projectId"] == project and config["appId"] == app
    cli.send("POST", f"{root}/{app}:remove", {})
    assert cli.send("GET", root) == {"apps": []}
    cli.send("GET", f"{root}/{app}", status=404)


def test_projects_are_created_and_listed(cli, project):
    cli.send("POST", f"/v1/projects/{project}/databases/(default)/documents/a", {"fields": {}})
    results = cli.send("GET", "/v1beta1/projects?pageSize=1000")["results"]
    mine = [one for one in results if one["projectId"] == project]
    assert mine[0]["resources"]["hostingSite"] == project
    assert cli.send("GET", f"/v1beta1/projects/{project}") == mine[0]
    made = cli.send("POST", "/v1/projects", {"projectId": f"{project}-new", "name": "New"})
    operation = cli.send("GET", f"/v1/{made['name']}")
    assert operation["done"] and operation["response"]["projectId"] == f"{project}-new"
    added = cli.send("POST", f"/v1beta1/projects/{project}-new:addFirebase")
    assert cli.send("GET", f"/v1beta1/{added['name']}")["response"]["projectId"] == f"{project}-new"
    assert f"{project}-new" in [one["projectId"] for one in cli.send("GET", "/v1beta1/projects?pageSize=1000")["results"]]
    cli.send("POST", "/v1/projects", {"projectId": f"{project}-new"}, 409)
    cli.send("POST", "/v1/projects", {"projectId": "../x"}, 400)
    cli.send("GET", f"/v1/operations/project.{project}-none", status=404)


def test_a_server_without_functions_says_so(cli, project):
    refused = cli.send("GET", f"/v2/projects/{project}/locations/-/functions", status=400)
    assert "brasa serve --functions" in refused["error"]["message"]


def test_paths_of_no_service_say_what_is_absent_and_make_nothing(cli):
    for path, name in [("/.json?ns=demo", "Realtime Database"), ("/compute/v1/x", "Compute Engine")]:
        assert cli.send("GET", path, status=404)["error"]["message"] == f"Brasa has no {name}."
    names = [bucket["name"] for bucket in cli.send("GET", "/storage/v1/b?project=demo").get("items", [])]
    assert not set(names) & {"compute", ".json"}


def key_file(server, project):
    """The key of a service account that administers a project."""
    made = servers.run("keys", "create", "command-line", "--role", "admin", "--project", project, "--data", server.data)
    return json.loads(made.stdout)


def token(server, account):
    """The access token that the CLI gets for a key file."""
    now = int(time.time())
    assertion = jwt.encode(
        {"iss": account["client_email"], "scope": "https://www.googleapis.com/auth/cloud-platform",
         "aud": "https://www.googleapis.com/oauth2/v4/token", "iat": now, "exp": now + 3600},
        account["private_key"], algorithm="RS256", headers={"kid": account["private_key_id"]},
    )
    made = requests.post(
        f"{server.url}/oauth2/v4/token", verify=server.authority, timeout=30,
        data={"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion},
    )
    return secrets.note(made.json()["access_token"])


def test_in_production_a_key_file_gets_a_token_and_strangers_get_nothing(production):
    cli = CommandLine(production, token(production, key_file(production, servers.PROJECT)))
    assert cli.send("GET", f"/v1/projects/{servers.PROJECT}")["projectId"] == servers.PROJECT
    assert cli.send("GET", f"/v1/projects/{servers.PROJECT}/services/firestore.googleapis.com")["state"] == "ENABLED"
    stranger = CommandLine(production, "forged")
    for method, path in [
        ("GET", f"/v1/projects/{servers.PROJECT}"), ("GET", "/v1beta1/projects"),
        ("GET", f"/v1beta1/projects/{servers.PROJECT}/webApps"), ("POST", "/v1/projects"),
        ("GET", f"/v1/projects/{servers.PROJECT}/services/firestore.googleapis.com"),
        ("POST", f"/v1/projects/{servers.PROJECT}:testIamPermissions"),
        ("GET", f"/v1beta1/projects/-/webApps/1:1:web:ab/config"), ("GET", "/v1beta1/operations/noop.DONE_OPERATION"),
    ]:
        assert "error" in stranger.send(method, path, {} if method == "POST" else None, 401)

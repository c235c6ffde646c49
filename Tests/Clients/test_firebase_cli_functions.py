"""`firebase deploy --only functions`, request by request: methods, paths, bodies and their order are the CLI's own."""

import base64
import io
import pathlib
import zipfile

import jwt
import pytest
import requests

from support import administrators, server as servers
from support.identity import Identity, Refused
from test_firebase_cli import CommandLine, key_file, token
from test_functions import environment

pytestmark = pytest.mark.brasa_only

CODEBASE = pathlib.Path(__file__).parent / "codebases" / "cli"
PROJECT = "shop"
PLACE = f"projects/{PROJECT}/locations/us-central1"
KEY = "sk-cli-0123456789"


def packed(**replaced):
    """The folder as the CLI packs it: deflated, sizes behind the contents, with the modes of Unix."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for path in sorted(CODEBASE.glob("*")):
            if path.is_file():
                text = path.read_text()
                for old, new in replaced.items():
                    text = text.replace(f'"{old}"', f'"{new}"')
                entry = zipfile.ZipInfo(path.name)
                entry.external_attr = 0o100644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                files.writestr(entry, text)
    return archive.getvalue()


class Deployment(CommandLine):
    """The CLI on a project with functions."""

    def discovered(self, name, trigger, **service):
        """A function as the CLI makes it of what it discovered in the source itself."""
        made = {
            "name": f"{PLACE}/functions/{name}",
            "buildConfig": {"runtime": "python313", "entryPoint": name, "environmentVariables": {"GOOGLE_NODE_RUN_SCRIPTS": ""}},
            "serviceConfig": {
                "availableMemory": "256Mi", "availableCpu": "1", "maxInstanceRequestConcurrency": 80, "timeoutSeconds": 60,
                "environmentVariables": {
                    "FIREBASE_CONFIG": f'{{"projectId":"{PROJECT}"}}', "GCLOUD_PROJECT": PROJECT, "PLACE": "here",
                    "EVENTARC_CLOUD_EVENT_SOURCE": f"{PLACE}/services/{name}", "FUNCTION_TARGET": name,
                    "LOG_EXECUTION_ID": "true",
                },
            } | service,
            "labels": {"deployment-tool": "cli-firebase", "firebase-functions-hash": "0" * 40},
        }
        if isinstance(trigger, str):
            made["labels"][trigger] = "true"
        elif trigger:
            made["eventTrigger"] = trigger
        return made

    def upload(self, archive):
        ticket = self.send("POST", f"/v2/{PLACE}/functions:generateUploadUrl")
        sent = requests.put(
            ticket["uploadUrl"], data=archive, verify=self.server.authority, timeout=60,
            headers={"content-type": "application/zip", "x-goog-content-length-range": "0,104857600"},
        )
        assert sent.status_code == 200, sent.text
        return ticket["storageSource"]

    def ended(self, operation):
        """The response of an operation, or its error, once the CLI's polling has it."""
        def poll():
            found = self.send("GET", f"/v2/{operation['name']}")
            return found if found.get("done") else None

        found = servers.wait_for(poll, operation["name"], 300)
        return found.get("response") or found["error"]

    def begin(self, function, source):
        function["buildConfig"]["source"] = {"storageSource": source}
        name = function["name"].split("/")[-1]
        return self.send("POST", f"/v2/{PLACE}/functions?functionId={name}", function)

    def patch(self, function, source):
        function["buildConfig"]["source"] = {"storageSource": source}
        mask = (
            "name,buildConfig.runtime,buildConfig.entryPoint,buildConfig.source.storageSource.bucket,"
            "buildConfig.source.storageSource.object,serviceConfig.environmentVariables,serviceConfig.availableMemory,"
            "labels,buildConfig.buildEnvironmentVariables"
        )
        return self.send("PATCH", f"/v2/{function['name']}?updateMask={mask}", function)


@pytest.fixture(scope="module")
def server(tmp_path_factory, certificates):
    data = tmp_path_factory.mktemp("cli-functions")
    made = servers.Brasa.production(
        data, certificates, "--functions", "--project", PROJECT, environment=environment(tmp_path_factory)
    ).start()
    yield made
    was_running = made.is_running
    assert made.stop() == 0, made.output[-4000:]
    assert was_running, made.output[-4000:]


@pytest.fixture(scope="module")
def cli(server):
    return Deployment(server, token(server, key_file(server, PROJECT)))


FILTERS = [
    {"attribute": "database", "value": "(default)"}, {"attribute": "namespace", "value": "(default)"},
    {"attribute": "document", "value": "products/{id}", "operator": "match-path-pattern"},
]


@pytest.fixture(scope="module")
def deployed(cli):
    """All functions of the codebase, after the CLI's first deployment."""
    for name in ["cloudfunctions", "cloudbuild", "artifactregistry", "runtimeconfig", "run", "eventarc", "pubsub"]:
        assert cli.send("GET", f"/v1/projects/{PROJECT}/services/{name}.googleapis.com")["state"] == "ENABLED"
    assert cli.send("GET", f"/v1beta1/projects/{PROJECT}/adminSdkConfig")["projectId"] == PROJECT
    assert cli.send("GET", f"/v1beta1/projects/{PROJECT}/configs") == {}
    number = cli.send("GET", f"/v1/projects/{PROJECT}")["projectNumber"]
    for name in ["pubsub", "eventarc"]:
        path = f"/v1beta1/projects/{number}/services/{name}.googleapis.com:generateServiceIdentity"
        assert cli.send("POST", path, {})["done"]
    assert cli.send("GET", f"/v1/projects/{PROJECT}/locations/-/functions") == {}
    assert cli.send("GET", f'/v2/projects/{PROJECT}/locations/-/functions?filter=environment%3D%22GEN_2%22') == {}
    # functions:secrets:set, then the check of a deployment that its version is there.
    secret = f"/v1/projects/{PROJECT}/secrets"
    cli.send("GET", f"{secret}/CLI_KEY", status=404)
    labels = {"firebase-managed": "functions"}
    cli.send("POST", f"{secret}?secretId=CLI_KEY", {"name": "CLI_KEY", "replication": {"automatic": {}}, "labels": labels})
    payload = {"payload": {"data": base64.b64encode(KEY.encode()).decode()}}
    version = cli.send("POST", f"{secret}/CLI_KEY:addVersion", payload)
    assert (version["name"], version["state"]) == (f"projects/{PROJECT}/secrets/CLI_KEY/versions/1", "ENABLED")
    assert cli.send("GET", f"{secret}/CLI_KEY/versions/latest")["name"] == version["name"]
    assert cli.send("GET", f"{secret}/CLI_KEY:getIamPolicy")["bindings"] == []
    binding = {"role": "roles/secretmanager.secretAccessor", "members": [f"serviceAccount:{number}-compute@developer.gserviceaccount.com"]}
    cli.send("POST", f"{secret}/CLI_KEY:setIamPolicy", {"policy": {"bindings": [binding]}, "updateMask": "bindings"})
    assert cli.send("POST", f"/v1/projects/{PROJECT}:testIamPermissions", {"permissions": ["cloudfunctions.functions.setIamPolicy"]})["permissions"]
    source = cli.upload(packed())
    sealed = [{"key": "CLI_KEY", "projectId": PROJECT, "secret": "CLI_KEY", "version": "1"}]
    wanted = [
        cli.discovered("hello", None), cli.discovered("kept", None), cli.discovered("locked", "deployment-callable", secretEnvironmentVariables=sealed),
        cli.discovered("swept", "deployment-scheduled"), cli.discovered("queued", "deployment-taskqueue"),
        cli.discovered("created", {
            "eventType": "google.cloud.firestore.document.v1.created", "triggerRegion": "us-central1",
            "eventFilters": FILTERS, "retryPolicy": "RETRY_POLICY_DO_NOT_RETRY",
        }),
    ]
    operations = [cli.begin(one, source) for one in wanted]
    made = {one["name"].split("/")[-1]: one for one in map(cli.ended, operations)}
    assert sorted(made) == ["created", "hello", "kept", "locked", "queued", "swept"], made
    everybody = {"bindings": [{"role": "roles/run.invoker", "members": ["allUsers"]}], "etag": "", "version": 3}
    for name in ["hello", "locked"]:
        service = made[name]["serviceConfig"]["service"]
        cli.send("POST", f"/v1/{service}:setIamPolicy", {"policy": everybody, "updateMask": "bindings,etag,version"})
    return made


def test_the_functions_are_called(cli, deployed):
    uri = deployed["hello"]["serviceConfig"]["uri"]
    assert uri.endswith(f":{cli.server.port}/{PROJECT}/us-central1/hello")
    assert requests.get(f"{uri}/a", verify=cli.server.authority, timeout=60).text == "one here /a"
    kept = deployed["kept"]["serviceConfig"]["uri"]
    assert requests.get(kept, verify=cli.server.authority, timeout=60).status_code == 403
    assert requests.get(kept, headers=cli.headers, verify=cli.server.authority, timeout=60).text == "kept"
    opened = {"policy": {"bindings": [{"role": "roles/run.invoker", "members": ["allUsers"]}]}}
    cli.send("POST", f"/v1/{PLACE}/services/kept:setIamPolicy", opened, 400)
    uri = deployed["locked"]["serviceConfig"]["uri"]
    assert requests.post(uri, json={"data": None}, verify=cli.server.authority, timeout=60).json() == {"result": KEY}


def test_the_next_deployment_finds_what_was_sent(cli, deployed):
    listed = cli.send("GET", f"/v2/projects/{PROJECT}/locations/-/functions?filter=environment%3D%22GEN_2%22")["functions"]
    by_name = {one["name"].split("/")[-1]: one for one in listed}
    assert by_name == {name: {k: v for k, v in one.items() if k != "@type"} for name, one in deployed.items()}
    hello = by_name["hello"]
    assert hello["state"] == "ACTIVE" and hello["labels"]["firebase-functions-hash"] == "0" * 40
    assert hello["serviceConfig"]["environmentVariables"]["PLACE"] == "here"
    assert by_name["created"]["eventTrigger"]["eventFilters"] == FILTERS
    assert by_name["locked"]["serviceConfig"]["secretEnvironmentVariables"][0]["version"] == "1"
    assert cli.send("GET", f"/v1/projects/{PROJECT}/locations/-/functions") == {}
    # functions that brasa lists are the same ones
    listed = servers.run("functions", "list", "--project", PROJECT, "--data", cli.server.data).stdout
    assert len(listed.splitlines()) == 6 and "every 5 minutes" in listed


def test_schedules_and_queues_are_there_as_the_source_says(cli, deployed):
    job = f"/v1/{PLACE}/jobs/firebase-schedule-swept-us-central1"
    found = cli.send("GET", job)
    assert (found["schedule"], found["timeZone"]) == ("every 5 minutes", "UTC")
    assert found["retryConfig"] == {"retryCount": 2}
    refused = cli.send("PATCH", f"{job}?updateMask=schedule", {"name": job[4:], "schedule": "every 1 minutes"}, 400)
    assert "every 5 minutes" in refused["error"]["message"]
    cli.send("GET", f"/v1/{PLACE}/jobs/firebase-schedule-hello-us-central1", status=404)
    queue = cli.send("GET", f"/v2/{PLACE}/queues/queued")
    assert queue == {
        "rateLimits": {"maxConcurrentDispatches": 6, "maxDispatchesPerSecond": 500}, "state": "RUNNING",
        "retryConfig": {"maxDoublings": 16, "maxAttempts": 5, "maxBackoff": "3600s", "minBackoff": "0.100s"},
        "name": f"{PLACE}/queues/queued",
    }
    cli.send("GET", f"/v2/{PLACE}/queues/hello", status=404)
    opened = {"policy": {"bindings": [{"role": "roles/run.invoker", "members": ["allUsers"]}]}}
    refused = cli.send("POST", f"/v1/{PLACE}/services/queued:setIamPolicy", opened, 400)
    assert "only by the server" in refused["error"]["message"]
    assert cli.send("GET", f"/v1/{PLACE}/channels/firebase")["state"] == "ACTIVE"
    assert cli.send("GET", f"/v1/{PLACE}/repositories/gcf-artifacts")["labels"]["firebase-functions-cleanup-opted-out"] == "true"


def test_one_function_alone_takes_a_new_source(cli, deployed):
    """As `--only functions:hello` does; the others stay on theirs, also over a restart."""
    source = cli.upload(packed(one="two"))
    changed = cli.ended(cli.patch(cli.discovered("hello", None), source))
    assert changed["name"].endswith("/hello"), changed
    url = f"{cli.server.url}/{PROJECT}/us-central1"
    assert requests.get(f"{url}/hello", verify=cli.server.authority, timeout=60).text == "two here /"
    cli.server.stop()
    cli.server.start()
    url = f"{cli.server.url}/{PROJECT}/us-central1"
    assert requests.get(f"{url}/hello", verify=cli.server.authority, timeout=60).text == "two here /"
    locked = requests.post(f"{url}/locked", json={"data": None}, verify=cli.server.authority, timeout=60)
    assert locked.json() == {"result": KEY}
    listed = cli.send("GET", f"/v2/{PLACE}/functions")["functions"]
    assert len(listed) == 6


def test_a_blocking_function_is_registered_as_the_cli_does(cli, deployed):
    """`blockingFunctions` of the accounts' configuration says which functions decide."""
    config = f"/admin/v2/projects/{PROJECT}/config"
    identity = Identity(cli.server, PROJECT, verify=cli.server.authority)
    identity.client("signUp", email="ana@example.com", password="correct horse")

    def sign_in():
        try:
            return identity.client("signInWithPassword", email="ana@example.com", password="correct horse")["idToken"]
        except Refused as refused:
            # The first instance may take longer than the 7 seconds, and a refusal is what then comes.
            assert "Deadline exceeded" in refused.message, refused.message
            return None

    def is_checked():
        token = servers.wait_for(sign_in, "a sign-in", 120)
        return jwt.decode(token, options={"verify_signature": False}).get("checked", False)

    def register(status=200, credentials=None, **triggers):
        body = {"blockingFunctions": {
            "triggers": {step: {"functionUri": uri} for step, uri in triggers.items()},
            "forwardInboundCredentials": credentials or {"accessToken": False, "idToken": False, "refreshToken": False},
        }}
        return cli.send("PATCH", f"{config}?updateMask=blockingFunctions", body, status)

    assert "blockingFunctions" not in cli.send("GET", config)
    made = cli.ended(cli.begin(cli.discovered("checked", None), cli.upload(packed())))
    uri = made["serviceConfig"]["uri"]
    # It decides from its deployment on, so that the CLI finds nothing to change.
    assert cli.send("GET", config)["blockingFunctions"]["triggers"]["beforeSignIn"]["functionUri"] == uri
    assert is_checked()
    assert register(beforeSignIn=uri)["blockingFunctions"]["triggers"]["beforeSignIn"]["functionUri"] == uri
    assert is_checked()
    # As an administrator, or the CLI before it deletes the function: it is there and decides about nothing.
    assert "blockingFunctions" not in register()
    assert not is_checked()
    cli.server.stop()
    cli.server.start()
    identity.base = cli.server.url
    assert "blockingFunctions" not in cli.send("GET", config) and not is_checked()
    # Only a function that is there for the step can decide.
    uri = cli.send("GET", f"/v2/{PLACE}/functions/checked")["serviceConfig"]["uri"]
    for wrong in (
        {"beforeCreate": uri}, {"beforeSignIn": uri + "x"}, {"beforeSignIn": "https://elsewhere.example/f"},
        {"beforeSendEmail": uri}, {"beforeSignIn": uri, "credentials": {"idToken": True}},
    ):
        assert register(400, **wrong)["error"]["message"], wrong
    assert not is_checked()
    cli.send("PATCH", f"{config}?updateMask=blockingFunctions", {"blockingFunctions": {"trigger": {}}}, 400)
    # Other fields of the configuration change nothing about it, and a deployment has it decide again.
    register(beforeSignIn=uri)
    cli.send("PATCH", f"{config}?updateMask=signIn.anonymous.enabled", {"signIn": {"anonymous": {"enabled": True}}})
    assert is_checked()
    register()
    cli.ended(cli.patch(cli.discovered("checked", None), cli.upload(packed())))
    assert is_checked()
    register()
    assert "Empty" in cli.ended(cli.send("DELETE", f"/v2/{PLACE}/functions/checked"))["@type"]
    assert "blockingFunctions" not in cli.send("GET", config) and not is_checked()


def test_secrets_are_changed_and_read(cli, deployed):
    secret = f"/v1/projects/{PROJECT}/secrets/CLI_KEY"
    payload = {"payload": {"data": base64.b64encode(b"second").decode()}}
    assert cli.send("POST", f"{secret}:addVersion", payload)["name"].endswith("/versions/2")
    assert [one["name"][-1] for one in cli.send("GET", f"{secret}/versions")["versions"]] == ["2", "1"]
    value = cli.send("GET", f"{secret}/versions/2:access")["payload"]["data"]
    assert base64.b64decode(value) == b"second"
    assert cli.send("POST", f"{secret}/versions/2:destroy")["state"] == "DESTROYED"
    cli.send("GET", f"{secret}/versions/2:access", status=400)
    managed = cli.send("GET", f"/v1/projects/{PROJECT}/secrets?filter=labels.firebase-managed%3Dfunctions")["secrets"]
    assert [one["name"] for one in managed] == [secret[4:]]


def test_what_can_not_be_deployed_changes_nothing(cli, deployed):
    source = cli.upload(packed())
    assert "no function other" in cli.ended(cli.begin(cli.discovered("other", None), source))["message"]
    taken = cli.discovered("hello", None)
    taken["buildConfig"]["source"] = {"storageSource": source}
    cli.send("POST", f"/v2/{PLACE}/functions?functionId=hello", taken, 409)
    broken = cli.upload(b"PK\x03\x04 no archive")
    failed = cli.ended(cli.begin(cli.discovered("other", None), broken))
    assert failed["code"] == 3 and "archive" in failed["message"]
    slip = io.BytesIO()
    with zipfile.ZipFile(slip, "w") as files:
        files.writestr("../main.py", "")
    failed = cli.ended(cli.begin(cli.discovered("other", None), cli.upload(slip.getvalue())))
    assert "leads out of the folder" in failed["message"]
    gone = {"bucket": "b", "object": "none.zip"}
    assert "Deploy again" in cli.ended(cli.begin(cli.discovered("other", None), gone))["message"]
    ticket = cli.send("POST", f"/v2/{PLACE}/functions:generateUploadUrl")
    last = ticket["uploadUrl"][-1]
    for url in [ticket["uploadUrl"][:-1] + ("B" if last == "A" else "A"), ticket["uploadUrl"].split("?")[0]]:
        assert requests.put(url, data=b"x", verify=cli.server.authority, timeout=60).status_code == 403


def test_people_of_other_projects_and_viewers(cli, deployed):
    other = administrators.administrator(cli.server, "editor", "editor@example.org", ["other"])
    viewer = administrators.administrator(cli.server, "viewer", "viewer@example.org", [PROJECT])
    editor = administrators.administrator(cli.server, "editor", "own@example.org", [PROJECT])
    stranger = CommandLine(cli.server, "forged")
    secret = f"/v1/projects/{PROJECT}/secrets/CLI_KEY"
    calls = [
        ("POST", f"/v2/{PLACE}/functions:generateUploadUrl"), ("POST", f"/v1/{PLACE}/functions:generateUploadUrl"),
        ("POST", f"/v2/{PLACE}/functions?functionId=x"), ("PATCH", f"/v2/{PLACE}/functions/hello"),
        ("DELETE", f"/v2/{PLACE}/functions/hello"), ("POST", f"{secret}:addVersion"), ("DELETE", secret),
        ("POST", f"/v1/{PLACE}/services/hello:setIamPolicy"), ("PATCH", f"/v2/{PLACE}/queues/queued"),
    ]
    for method, path in calls:
        assert other.call(method, path, json={}).status_code == 403, path
        assert viewer.call(method, path, json={}).status_code == 403, path
        stranger.send(method, path, {}, 401)
    listing = f"/v2/projects/{PROJECT}/locations/-/functions"
    assert other.call("GET", listing).status_code == 403
    seen = viewer.call("GET", listing).json()["functions"]
    assert all(one["serviceConfig"]["environmentVariables"] == {} for one in seen)
    assert all(one["buildConfig"]["environmentVariables"] == {} for one in seen)
    # Nor by the other API, which has them elsewhere.
    for version in ["v1", "v2"]:
        assert '"here"' not in viewer.call("GET", f"/{version}/{PLACE}/functions/hello").text
        assert '"here"' in editor.call("GET", f"/{version}/{PLACE}/functions/hello").text
    for person in [other, viewer, editor]:
        assert person.call("GET", f"{secret}/versions/1:access").status_code == 403
    ticket = editor.call("POST", f"/v2/{PLACE}/functions:generateUploadUrl", json={}).json()
    # An upload of one project is none of another's.
    body = cli.discovered("x", None)
    body["buildConfig"]["source"] = {"storageSource": ticket["storageSource"]}
    begun = other.call("POST", "/v2/projects/other/locations/us-central1/functions?functionId=x", json=body).json()
    def poll():
        found = other.call("GET", f"/v2/{begun['name']}").json()
        return found if found.get("done") else None
    assert "not uploaded" in servers.wait_for(poll, "the operation", 60)["error"]["message"]
    assert editor.call("GET", f"/v2/{begun['name']}").status_code == 403
    logs = {"resourceNames": [f"projects/{PROJECT}"], "filter": "", "orderBy": "timestamp desc", "pageSize": 35}
    assert other.call("POST", "/v2/entries:list", json=logs).status_code == 403
    assert viewer.call("POST", "/v2/entries:list", json=logs).status_code == 200


def test_functions_are_deleted(cli, deployed):
    cli.send("PATCH", f"/v2/{PLACE}/queues/queued?updateMask=state", {"name": f"{PLACE}/queues/queued", "state": "DISABLED"})
    cli.send("DELETE", f"/v1/{PLACE}/jobs/firebase-schedule-swept-us-central1")
    for name in ["queued", "swept", "created", "kept", "locked"]:
        assert "Empty" in cli.ended(cli.send("DELETE", f"/v2/{PLACE}/functions/{name}"))["@type"]
    cli.send("GET", f"/v1/{PLACE}/jobs/firebase-schedule-swept-us-central1", status=404)
    url = f"{cli.server.url}/{PROJECT}/us-central1"
    assert requests.post(f"{url}/locked", json={}, verify=cli.server.authority, timeout=60).status_code == 404
    assert requests.get(f"{url}/hello", verify=cli.server.authority, timeout=60).status_code == 200
    assert "Empty" in cli.ended(cli.send("DELETE", f"/v2/{PLACE}/functions/hello"))["@type"]
    assert cli.send("GET", f"/v2/{PLACE}/functions") == {}
    assert cli.ended(cli.send("DELETE", f"/v2/{PLACE}/functions/hello"))["code"] == 5

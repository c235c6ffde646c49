"""Functions written with Google's firebase-functions for Python, deployed, called and kept in bounds."""

import json
import os
import pathlib
import shutil
import subprocess

import jwt
import pytest
import requests

from support import server as servers
from support.identity import Identity, Refused
from support.server import wait_for

pytestmark = pytest.mark.brasa_only

CODEBASES = pathlib.Path(__file__).parent / "codebases"
KEY = "sk-live-0123456789abcdef"


class Functions:
    """A server with a deployed codebase."""

    def __init__(self, server, project):
        self.server = server
        self.project = project

    def command(self, *words, **options):
        return servers.run("functions", *words, "--project", self.project, "--data", self.server.data, timeout=600, **options)

    def url(self, name, rest="", region="us-central1"):
        return f"{self.server.url}/{self.project}/{region}/{name}{rest}"

    def get(self, name, rest="", seconds=120, **options):
        return requests.get(self.url(name, rest), verify=self.server.authority, timeout=seconds, **options)

    def call(self, name, data, token=None, **headers):
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        return requests.post(
            self.url(name), json={"data": data}, headers=headers, verify=self.server.authority, timeout=120
        )

    def log(self, name):
        return self.command("logs", name).stdout


def environment(tmp_path_factory):
    """Where packages are installed: once a run, or once for all runs that name a folder."""
    folder = os.environ.get("BRASA_FUNCTIONS_TEST_ENVIRONMENTS") or tmp_path_factory.getbasetemp().parent / "environments"
    return {"BRASA_FUNCTIONS_ENVIRONMENTS": str(folder)}


@pytest.fixture(scope="module")
def functions(tmp_path_factory, certificates):
    """A production server with the functions of codebases/shop."""
    data = tmp_path_factory.mktemp("functions")
    server = servers.Brasa.production(
        data, certificates, "--functions", "--project", "shop", environment=environment(tmp_path_factory)
    ).start()
    made = Functions(server, "shop")
    made.command("secrets", "set", "API_KEY", input=KEY + "\n")
    done = made.command("deploy", CODEBASES / "shop")
    assert "created  greet" in done.stdout
    yield made
    was_running = server.is_running
    assert server.stop() == 0, server.output[-4000:]
    assert was_running, server.output[-4000:]


@pytest.fixture(scope="module")
def user(functions):
    identity = Identity(functions.server, "shop", verify=functions.server.authority)

    def signed_up():
        try:
            return identity.client("signUp", email="ana@example.com", password="correct horse")
        except Refused as refusal:
            # On a busy machine an instance takes longer to start than a sign-up waits for it.
            if "Deadline exceeded" not in str(refusal):
                raise
            return None

    return wait_for(signed_up, "a blocking function that has started")


def test_a_request_arrives_as_it_was_sent(functions):
    answer = requests.put(
        functions.url("echo", "/a%20b/c?x=1&y=%2F"), data=b"\x00" * 100_000,
        headers={"X-Own": "kept", "X-CloudScheduler": "true", "X-CloudTasks-TaskName": "forged"},
        verify=functions.server.authority, timeout=120,
    )
    assert answer.status_code == 201
    seen = answer.json()
    assert seen["method"] == "PUT"
    assert seen["path"] == "/a b/c"
    assert seen["query"] == {"x": "1", "y": "/"}
    assert seen["length"] == 100_000
    assert seen["headers"]["x-own"] == "kept"
    assert "x-cloudscheduler" not in seen["headers"]
    assert "x-cloudtasks-taskname" not in seen["headers"]


def test_pages_and_cookies_of_functions_are_kept_apart_from_the_console(functions):
    cookies = "a=1; __Host-brasa_console=secret; brasa_device=other; b=2"
    answer = functions.get("echo", headers={"Cookie": cookies})
    assert answer.json()["headers"]["cookie"] == "a=1; b=2"
    assert answer.headers["Content-Security-Policy"].startswith("sandbox ")
    assert "allow-same-origin" not in answer.headers["Content-Security-Policy"]


def test_a_body_over_32_megabytes_is_refused(functions):
    big = requests.post(functions.url("echo"), data=b"x" * (33 << 20), verify=functions.server.authority, timeout=120)
    assert big.status_code == 413
    most = requests.post(functions.url("echo"), data=b"x" * (32 << 20), verify=functions.server.authority, timeout=120)
    assert most.json()["length"] == 32 << 20


def test_a_response_is_streamed(functions):
    assert functions.get("parts").text == "part 0\npart 1\npart 2\n"


def test_a_callable_function_answers_and_refuses(functions, user):
    assert functions.call("greet", {"name": "Ana"}).json() == {"result": {"text": "Bom dia Ana", "uid": None}}
    known = functions.call("greet", {"name": "Ana"}, token=user["idToken"])
    assert known.json()["result"]["uid"] == user["localId"]
    missing = functions.call("greet", {})
    assert missing.status_code == 400
    assert missing.json()["error"] == {
        "status": "INVALID_ARGUMENT", "message": "name is missing", "details": {"field": "name"},
    }


def test_a_forged_token_is_refused_by_the_host(functions, user):
    head, claims, _ = user["idToken"].split(".")
    unsigned = "eyJhbGciOiJub25lIn0." + claims + "."
    for token in (unsigned, f"{head}.{claims}.c2lnbmF0dXJl", "owner", "nonsense"):
        refused = functions.call("greet", {"name": "Ana"}, token=token)
        assert refused.status_code == 401, token
        assert refused.json()["error"]["status"] == "UNAUTHENTICATED"
    # What claims to be a user's token is checked before functions of HTTP, too; other credentials are their own.
    assert functions.get("echo", headers={"Authorization": f"Bearer {unsigned}"}).status_code == 401
    assert functions.get("echo", headers={"Authorization": "Basic YTpi"}).json()["headers"]["authorization"] == "Basic YTpi"


def test_a_function_verifies_tokens_itself(functions, user):
    def whose(token):
        return functions.call("whose", {"token": token}).json()["result"]

    head, claims, _ = user["idToken"].split(".")
    assert whose(user["idToken"]) == user["localId"]
    for forged in ("eyJhbGciOiJub25lIn0." + claims + ".", f"{head}.{claims}.c2lnbmF0dXJl"):
        assert whose(forged).startswith("refused: ")


def test_a_function_uses_the_admin_sdk_in_its_own_project_alone(functions):
    made = functions.call("remember", None).json()
    assert made == {"result": {"document": {"by": "function"}, "name": "Made by a function"}}
    foreign = functions.call("trespass", {"project": "bank"})
    assert foreign.status_code == 500, foreign.text
    wait_for(lambda: "403 Missing or insufficient permissions" in functions.log("trespass"), "the refusal")


def test_functions_decide_about_sign_ups_and_sign_ins(functions, user):
    identity = Identity(functions.server, "shop", verify=functions.server.authority)
    # `user` signed up with both functions in force.
    claims = jwt.decode(user["idToken"], options={"verify_signature": False})
    assert claims["name"] == "Named"
    assert claims["plan"] == "gold"
    assert claims["shift"] == "night"
    again = identity.client("signInWithPassword", email="ana@example.com", password="correct horse")
    assert jwt.decode(again["idToken"], options={"verify_signature": False})["shift"] == "night"
    with pytest.raises(Refused) as refused:
        identity.client("signUp", email="eve@evil.example", password="correct horse")
    assert refused.value.status == 400
    assert refused.value.code == "BLOCKING_FUNCTION_ERROR_RESPONSE"
    assert "HTTP error 403" in refused.value.message and "no evil" in refused.value.message
    # Nothing is left of the account that was refused.
    with pytest.raises(Refused) as unknown:
        identity.client("signInWithPassword", email="eve@evil.example", password="correct horse")
    assert unknown.value.code == "INVALID_LOGIN_CREDENTIALS"


def test_a_blocking_function_that_fails_refuses_and_can_be_deleted(tmp_path_factory, certificates):
    data = tmp_path_factory.mktemp("blocking")
    settings = environment(tmp_path_factory)
    server = servers.Brasa(data / "data", "--functions", environment=settings).start()
    made = Functions(server, "closed")
    source = data / "source"
    source.mkdir()
    shutil.copy(CODEBASES / "shop" / "requirements.txt", source)
    (source / "main.py").write_text(
        "import os\nfrom firebase_functions import identity_fn\n"
        "@identity_fn.before_user_signed_in()\ndef decide(event): os._exit(1)\n"
    )
    made.command("deploy", source)
    identity = Identity(server, "closed")

    def sign_up(email):
        return identity.client("signUp", email=email, password="correct horse")

    with pytest.raises(Refused) as crashed:
        sign_up("ana@example.com")
    assert crashed.value.message == "BLOCKING_FUNCTION_ERROR_RESPONSE : ((Failed to make request to URL.))"
    # A server that serves no functions refuses, too: nobody is there to decide.
    assert server.stop() == 0
    off = servers.Brasa(data / "data", environment=settings).start()
    identity.base = off.url
    with pytest.raises(Refused) as absent:
        sign_up("ana@example.com")
    assert absent.value.code == "BLOCKING_FUNCTION_ERROR_RESPONSE"
    assert off.stop() == 0
    server.start()
    identity.base = server.url
    made.command("delete", "default")
    assert sign_up("ana@example.com")["idToken"]
    assert server.stop() == 0


@pytest.mark.slow
def test_development_deploys_a_folder_whenever_it_changes(tmp_path_factory):
    data = tmp_path_factory.mktemp("developed")
    source = data / "source"
    source.mkdir()
    shutil.copy(CODEBASES / "shop" / "requirements.txt", source)
    text = "from firebase_functions import https_fn\n@https_fn.on_call()\ndef number(request): return {}\n"
    (source / "main.py").write_text(text.format(1))
    server = servers.Brasa(
        data / "data", "--functions", str(source), "--project", "dev", environment=environment(tmp_path_factory)
    ).start()
    made = Functions(server, "dev")

    def result():
        answer = made.call("number", None)
        return answer.json().get("result") if answer.status_code == 200 else None

    wait_for(lambda: result() == 1, "the first deployment", 120)
    (source / "main.py").write_text("syntax error\n")
    wait_for(lambda: "can't be deployed" in server.output, "the reason")
    assert result() == 1
    (source / "main.py").write_text(text.format(22))
    wait_for(lambda: result() == 22, "the second deployment")
    assert server.stop() == 0


def test_secrets_reach_the_function_and_no_log(functions):
    assert functions.call("secretive", None).json() == {"result": len(KEY)}
    wait_for(lambda: "***" in functions.log("secretive"), "the masked line")
    assert KEY not in functions.log("secretive")
    assert KEY not in functions.server.output
    for path in functions.server.data.rglob("*"):
        if path.is_file() and "environments" not in path.parts:
            assert KEY.encode() not in path.read_bytes(), path


def test_a_call_that_never_ends_is_ended_with_all_that_it_started(functions):
    answer = functions.get("never")
    assert answer.status_code == 504
    assert functions.get("parts").status_code == 200
    wait_for(lambda: "longer than 3 s" in functions.log("never"), "the reason")

    def is_left():
        listed = subprocess.run(["pgrep", "-P", str(functions.server.process.pid), "sleep"], capture_output=True)
        return listed.stdout

    wait_for(lambda: not is_left(), "the daemon's end")


def test_a_function_that_leaves_is_started_anew(functions):
    assert functions.get("leave").status_code == 500
    wait_for(lambda: "exited with code 3" in functions.log("leave"), "the reason")
    assert functions.get("parts").status_code == 200


def test_processes_are_bounded(functions):
    assert functions.get("forks").status_code == 500
    # Whichever bound comes first: a copy of the process counts with the memory that it shares.
    wait_for(lambda: any(text in functions.log("forks") for text in ("too many processes", "its memory limit")), "the reason")
    assert functions.get("parts").status_code == 200


@pytest.mark.slow
def test_connections_are_bounded(functions):
    done = functions.get("sockets", seconds=600).json()
    # EMFILE: an instance has 1,024 descriptors.
    assert done["error"] == 24 and done["held"] < 1_024, done
    assert functions.call("remember", None).status_code == 200


def test_a_forged_app_check_token_is_the_function_s_to_refuse(functions):
    token = {"X-Firebase-AppCheck": "forged"}
    assert functions.get("echo", headers=token).json()["headers"]["x-firebase-appcheck"] == "forged"
    assert functions.call("greet", {"name": "Ana"}, **token).json()["result"]["text"] == "Bom dia Ana"


def test_a_function_that_exits_at_its_start_harms_no_other(functions, tmp_path):
    shutil.copy(CODEBASES / "shop" / "requirements.txt", tmp_path)
    (tmp_path / "main.py").write_text(
        "import os\nfrom firebase_functions import https_fn\n"
        "if 'FUNCTION_TARGET' in os.environ: os._exit(7)\n"
        "@https_fn.on_request()\ndef ends(request): return 'never'\n"
    )
    functions.command("deploy", tmp_path, "--codebase", "ends")
    for _ in range(3):
        answer = functions.get("ends")
        assert answer.status_code == 503 and "exited with code 7" in answer.text, answer.text
    assert "exited with code 7" in functions.log("ends")
    assert functions.get("parts").status_code == 200
    functions.command("delete", "ends")


def test_memory_is_bounded(functions):
    answer = functions.get("hungry")
    assert answer.status_code == 500, answer.text + functions.log("hungry")
    wait_for(lambda: "its memory limit" in functions.log("hungry"), "the reason")


def test_a_flood_of_output_is_read_and_forgotten(functions):
    assert functions.get("loud?lines=1000").text == "said"
    assert len(functions.log("loud")) < 1 << 20
    assert functions.get("parts").status_code == 200


def test_a_function_reaches_neither_the_data_nor_the_server(functions):
    data = functions.server.data
    paths = [data, data / "functions.key", data / "control.sock", "/etc/shadow", f"/proc/{functions.server.process.pid}/environ"]
    answer = functions.get(
        "snoop",
        f"?paths={','.join(map(str, paths))}&server={functions.server.process.pid}&socket={data / 'control.sock'}",
    )
    done = answer.json()
    assert {done[str(path)] for path in paths} == {"PermissionError"}, done
    assert done["kill"] == "PermissionError"
    assert done["socket"] == "PermissionError"


def test_an_instance_s_listener_is_its_own(functions):
    address = functions.get("listener").text
    with pytest.raises(requests.exceptions.ConnectionError):
        requests.get(f"http://{address}/", headers={"Authorization": "Bearer owner"}, timeout=10)
    assert functions.get("neighbour", f"?address={address}").text != "Ok\n"
    assert functions.get("listener", f"?address={address}").text == "Ok\n"


@pytest.mark.slow
def test_a_package_that_reads_the_data_while_it_is_installed_is_denied(functions, tmp_path):
    source = tmp_path / "spy"
    shutil.copytree(CODEBASES / "spy", source)
    (source / "package" / "path.txt").write_text(str(functions.server.data))
    refused = functions.command("deploy", source, "--codebase", "spy", check=False)
    assert refused.returncode != 0
    text = refused.stdout + refused.stderr
    assert "reading the data: PermissionError" in text
    assert "lies open" not in text


@pytest.mark.parametrize(
    "manifest, reason",
    [
        ({"endpoints": {"../up": {"httpsTrigger": {}}}}, "not a valid function name"),
        ({"endpoints": {"n" * 300: {"httpsTrigger": {}}}}, "not a valid function name"),
        ({"endpoints": {"two": {"httpsTrigger": {}, "callableTrigger": {}}}}, "2 triggers"),
        ({"endpoints": {"none": {}}}, "0 triggers"),
        ({"endpoints": {"big": {"httpsTrigger": {}, "availableMemoryMb": 1 << 40}}}, "availableMemoryMb"),
        ({"endpoints": {"odd": {"httpsTrigger": {}, "entryPoint": "../../etc/passwd"}}}, "entryPoint"),
        ({"endpoints": {"odd": {"httpsTrigger": {}, "region": ["../up"]}}}, "region"),
        ({"endpoints": {"greet": {"httpsTrigger": {}}}}, "already"),
        ({"endpoints": {}, "specVersion": "v9"}, "specVersion"),
    ],
)
def test_a_manifest_that_lies_is_refused(functions, tmp_path, manifest, reason):
    shutil.copy(CODEBASES / "shop" / "requirements.txt", tmp_path)
    (tmp_path / "main.py").write_text("")
    (tmp_path / "functions.yaml").write_text(json.dumps({"specVersion": "v1alpha1"} | manifest))
    refused = functions.command("deploy", tmp_path, "--codebase", "liar", check=False)
    assert refused.returncode != 0
    assert reason in refused.stdout + refused.stderr
    assert functions.call("greet", {"name": "Ana"}).status_code == 200


def test_a_source_with_a_link_is_refused(functions, tmp_path):
    (tmp_path / "main.py").write_text("")
    (tmp_path / "requirements.txt").symlink_to("/etc/passwd")
    refused = functions.command("deploy", tmp_path, "--codebase", "links", check=False)
    assert "symbolic link" in refused.stderr


def test_a_codebase_is_listed_called_restarted_and_deleted(functions, tmp_path):
    shutil.copy(CODEBASES / "shop" / "requirements.txt", tmp_path)
    source = tmp_path / "main.py"
    source.write_text(
        "from firebase_functions import https_fn\n"
        "@https_fn.on_call()\ndef first(request): return 1\n"
        "@https_fn.on_call()\ndef other(request): return 1\n"
    )
    functions.command("deploy", tmp_path, "--codebase", "extra")
    assert "first" in functions.command("list").stdout
    assert '"result":1' in functions.command("call", "first", check=False).stdout.replace(" ", "")
    source.write_text("from firebase_functions import https_fn\n@https_fn.on_call()\ndef first(request): return 2\n")
    again = functions.command("deploy", tmp_path, "--codebase", "extra").stdout
    assert "updated  first" in again and "deleted  other" in again
    assert functions.call("first", None).json() == {"result": 2}
    assert functions.call("other", None).status_code == 404
    # Back to the first release, and on again.
    releases = functions.command("releases", "--codebase", "extra").stdout.splitlines()
    assert releases[0].startswith("2  ") and releases[0].endswith("  first  in force")
    assert releases[1].startswith("1  ") and releases[1].endswith("  first,other")
    back = functions.command("rollback", "--codebase", "extra")
    assert "created  other" in back.stdout and "is release 1 again" in back.stdout + back.stderr
    assert functions.call("first", None).json() == {"result": 1}
    assert functions.call("other", None).json() == {"result": 1}
    none = functions.command("rollback", "--codebase", "extra", check=False)
    assert "no earlier release" in none.stderr
    assert "no release 7" in functions.command("rollback", "7", "--codebase", "extra", check=False).stderr
    assert "is already live" in functions.command("rollback", "1", "--codebase", "extra", check=False).stderr
    functions.command("rollback", "2", "--codebase", "extra")
    assert functions.call("first", None).json() == {"result": 2}
    functions.command("delete", "extra")
    assert functions.call("first", None).status_code == 404


def test_a_damaged_source_is_mended_by_its_deployment(functions, tmp_path):
    shutil.copy(CODEBASES / "shop" / "requirements.txt", tmp_path)
    text = "from firebase_functions import https_fn\n@https_fn.on_call()\ndef mended(request): return 7\n"
    (tmp_path / "main.py").write_text(text)
    functions.command("deploy", tmp_path, "--codebase", "mended")
    sources = pathlib.Path(functions.server.data) / "functions" / "sources"
    [kept] = [path for path in sources.glob("*/main.py") if path.read_text() == text]
    # As a file is of which a power cut kept the name alone.
    kept.write_text("")
    functions.command("deploy", tmp_path, "--codebase", "mended")
    assert kept.read_text() == text
    assert functions.call("mended", None).json() == {"result": 7}
    functions.command("delete", "mended")


def test_what_functions_wrote_outlives_a_kill(functions):
    functions.get("echo", "/before-the-kill")
    wait_for(lambda: "/before-the-kill" in functions.log("echo"), "the line")

    def is_written():
        folder = functions.server.data / "functions" / "logs" / "shop"
        return any("before-the-kill" in file.read_text() for file in folder.glob("echo.log*"))

    wait_for(is_written, "the line in the file")
    functions.server.kill()
    functions.server.start()
    assert "/before-the-kill" in functions.log("echo")
    found = functions.command("logs", "echo", "--containing", "before-the-kill").stdout.splitlines()
    assert found and all("before-the-kill" in line for line in found)
    assert functions.get("parts").status_code == 200


@pytest.mark.slow
def test_no_source_changes_packages_that_others_share(tmp_path):
    """A source has modules in the place of pip and venv; the requirements are those of others too."""
    environments = tmp_path / "environments"
    server = servers.Brasa(
        tmp_path / "data", "--functions", environment={"BRASA_FUNCTIONS_ENVIRONMENTS": str(environments)}
    ).start()
    try:
        source = tmp_path / "source"
        planted = "import pathlib, sys\npathlib.Path(sys.prefix, 'planted').write_text('')\n"
        for package in ["pip", "venv"]:
            (source / package).mkdir(parents=True)
            (source / package / "__init__.py").write_text("")
            (source / package / "__main__.py").write_text(planted)
        (source / "main.py").write_text("")
        (source / "requirements.txt").write_text("# nothing\n")
        # It has no functions: what was installed stays.
        assert servers.run("functions", "deploy", source, "--project", "p", "--data", server.data, check=False).returncode
        [made] = environments.glob("python-*")
        assert (made / ".complete").exists() and (made / "bin" / "pip").exists()
        assert not list(environments.rglob("planted"))
        assert (environments / "caches" / "p" / "python").is_dir()
    finally:
        server.stop()

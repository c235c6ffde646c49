"""`brasa apps`, beside a running server and on a directory at rest."""

import json
import plistlib
import re

import pytest
import requests

from support import server as servers
from support.identity import Identity

pytestmark = pytest.mark.brasa_only

PROJECT = "shop-apps"
BUNDLE = "com.example.shop"


@pytest.fixture(params=["running", "resting"])
def deployment(request, tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    if request.param == "resting":
        server.stop()

    def apps(*arguments, **options):
        return servers.run("apps", *arguments, "--project", PROJECT, "--data", server.data, **options)

    yield apps, server
    if server.is_running:
        server.stop()


def create(apps, *arguments):
    return apps("create", *arguments).stdout.strip()


def test_an_app_of_each_platform(deployment, tmp_path):
    apps, server = deployment
    ids = {
        "ios": create(apps, "ios", "--bundle-id", BUNDLE, "--name", "Shop"),
        "android": create(apps, "android", "--bundle-id", BUNDLE),
        "web": create(apps, "web", "--name", "Shop on the web"),
        "linux": create(apps, "linux", "--name", "Kiosk"),
    }
    for platform, app in ids.items():
        assert re.fullmatch(rf"1:\d+:{platform}:[0-9a-f]{{22}}", app)
    listed = apps("list").stdout.splitlines()
    assert listed[0] == f"{ids['ios']}  ios  {BUNDLE}  Shop" and len(listed) == 4

    origin = ["--origin", "https://db.example.com/"]
    out = tmp_path / "GoogleService-Info.plist"
    assert apps("config", ids["ios"], *origin, "--out", out).stdout == ""
    number = ids["ios"].split(":")[1]
    assert plistlib.loads(out.read_bytes()) == {
        "API_KEY": PROJECT, "GCM_SENDER_ID": number, "PLIST_VERSION": "1", "BUNDLE_ID": BUNDLE,
        "PROJECT_ID": PROJECT, "STORAGE_BUCKET": f"{PROJECT}.appspot.com",
        "GOOGLE_APP_ID": ids["ios"], "BRASA_HOST": "https://db.example.com",
    }
    # Without an origin it is the server's own, which is this machine's.
    kiosk = json.loads(apps("config", ids["linux"]).stdout)
    assert kiosk["host"].startswith("http://127.0.0.1")
    web = json.loads(apps("config", ids["web"], *origin).stdout)
    assert web == {
        "apiKey": PROJECT, "authDomain": "db.example.com", "projectId": PROJECT,
        "storageBucket": f"{PROJECT}.appspot.com", "messagingSenderId": number,
        "appId": ids["web"], "host": "https://db.example.com",
    }
    android = json.loads(apps("config", ids["android"], *origin).stdout)
    assert android["project_info"]["project_id"] == PROJECT
    assert android["client"][0]["client_info"] == {
        "mobilesdk_app_id": ids["android"], "android_client_info": {"package_name": BUNDLE},
    }
    again = plistlib.loads(apps("config", ids["web"], "--format", "plist", *origin).stdout.encode())
    assert again["GOOGLE_APP_ID"] == ids["web"] and "BUNDLE_ID" not in again
    assert "no differences" in servers.run("verify", "--data", server.data).stdout


def test_files_name_the_client_of_sign_ins_with_google(deployment):
    apps, server = deployment
    ios = create(apps, "ios", "--bundle-id", BUNDLE)
    android = create(apps, "android", "--bundle-id", BUNDLE)
    client = "77-web.apps.googleusercontent.com"
    methods = ("users", "methods", "google.com")
    more = ("--project", PROJECT, "--data", server.data)
    servers.run(*methods, "on", "--client-id", client, "--secret-stdin", *more, input="secret-of-google\n")
    origin = ["--origin", "https://db.example.com"]
    found = plistlib.loads(apps("config", ios, *origin).stdout.encode())
    assert found["CLIENT_ID"] == client and found["REVERSED_CLIENT_ID"] == "com.googleusercontent.apps.77-web"
    own = "77-ios.apps.googleusercontent.com"
    apps("client", BUNDLE, "--google-client-id", own)
    found = plistlib.loads(apps("config", ios, *origin).stdout.encode())
    assert found["CLIENT_ID"] == own and found["REVERSED_CLIENT_ID"] == "com.googleusercontent.apps.77-ios"
    other = create(apps, "ios", "--bundle-id", "com.example.other", "--google-client-id", "78-ios.apps.googleusercontent.com")
    assert plistlib.loads(apps("config", other, *origin).stdout.encode())["CLIENT_ID"].startswith("78-")
    for which, wrong in ((android, own), (BUNDLE, "77-ios"), (BUNDLE, "a b.apps.googleusercontent.com"), ("com.example.nowhere", own)):
        assert apps("client", which, "--google-client-id", wrong, check=False).returncode != 0
    apps("client", ios)
    assert plistlib.loads(apps("config", ios, *origin).stdout.encode())["CLIENT_ID"] == client
    services = json.loads(apps("config", android, *origin).stdout)
    assert services["client"][0]["oauth_client"] == [{"client_id": client, "client_type": 3}]
    servers.run(*methods, "off", *more)
    assert "CLIENT_ID" not in plistlib.loads(apps("config", ios, *origin).stdout.encode())


def test_phones_connect_the_address_with_the_apps(deployment):
    apps, server = deployment
    fingerprint = ":".join(["AB"] * 32)
    create(apps, "ios", "--bundle-id", BUNDLE, "--team-id", "A1B2C3D4E5")
    create(apps, "ios", "--bundle-id", "com.example.unsigned")
    create(apps, "android", "--bundle-id", BUNDLE, "--sha256", fingerprint.lower())
    for wrong in (("ios", "--bundle-id", "a.b", "--team-id", "short"), ("web", "--team-id", "A1B2C3D4E5"), ("android", "--bundle-id", "a.b", "--sha256", "AB:CD")):
        assert apps("create", *wrong, check=False).returncode != 0
    if not server.is_running:
        server.start()
    apple = requests.get(f"{server.url}/.well-known/apple-app-site-association", timeout=30)
    assert apple.status_code == 200 and apple.headers["content-type"].startswith("application/json")
    assert apple.json() == {
        "applinks": {"details": [{"appIDs": [f"A1B2C3D4E5.{BUNDLE}"], "components": [{"/": "/__/auth/*"}]}]},
        "webcredentials": {"apps": [f"A1B2C3D4E5.{BUNDLE}"]},
    }
    links = requests.get(f"{server.url}/.well-known/assetlinks.json", timeout=30)
    assert links.status_code == 200 and links.headers["content-type"].startswith("application/json")
    [statement] = links.json()
    assert statement["target"] == {"namespace": "android_app", "package_name": BUNDLE, "sha256_cert_fingerprints": [fingerprint]}
    assert "delegate_permission/common.handle_all_urls" in statement["relation"]
    assert requests.post(f"{server.url}/.well-known/assetlinks.json", timeout=30).status_code in (404, 405)


def test_a_registered_app_makes_its_key_known(deployment):
    apps, server = deployment
    create(apps, "ios", "--bundle-id", BUNDLE)
    if not server.is_running:
        server.start()
    answer = Identity(server, PROJECT).client("signUp", email="ana@example.com", password="long enough 1")
    assert answer["idToken"]


def test_what_is_refused(deployment):
    apps, _ = deployment
    create(apps, "ios", "--bundle-id", BUNDLE)

    def refused(*arguments):
        done = apps(*arguments, check=False)
        assert done.returncode != 0
        return done.stderr

    assert "DUPLICATE_CONFIG_ID" in refused("create", "ios", "--bundle-id", BUNDLE)
    assert "INVALID_CONFIG" in refused("create", "ios")
    assert "INVALID_CONFIG" in refused("create", "linux", "--bundle-id", BUNDLE)
    assert "palm" in refused("create", "palm")
    assert "There is no app" in refused("config", "com.example.other")
    assert "https address" in refused("config", BUNDLE, "--origin", "http://db.example.com")
    assert "https address" in refused("config", BUNDLE, "--origin", "https://db.example.com/path")
    assert apps("delete", BUNDLE).returncode == 0
    assert "There is no app" in refused("delete", BUNDLE)
    assert apps("list").stdout == ""

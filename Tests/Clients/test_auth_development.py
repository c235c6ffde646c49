"""What Google's Auth emulator lets developers do, and what foreign web pages may not do."""

import json

import jwt
import pytest
import requests

from support import browser as browsers, rules, secrets, server as servers, webchannel
from support.identity import Identity, Refused

pytestmark = pytest.mark.brasa_only

PASSWORD = "correct horse 7"
FAKE_KEY = "fake-api-key"
OWNER = {"Authorization": "Bearer owner"}


def unsigned(**claims):
    return jwt.encode(claims, None, algorithm="none")


@pytest.fixture
def identity(server, project):
    return Identity(server, project)


def refused(code, call, *arguments, **body):
    with pytest.raises(Refused) as refusal:
        call(*arguments, **body)
    assert refusal.value.code == code, refusal.value.message
    return refusal.value


class Fresh:
    """A development server of the test's own."""

    def __init__(self, directory):
        self.directory, self.running = directory, None

    def start(self, *arguments, **environment):
        if self.running:
            assert self.running.stop() == 0
        self.running = servers.Brasa(self.directory / "data", *arguments, environment=environment).start()
        return self.running

    def post(self, path, body=None, key=FAKE_KEY):
        url = f"{self.running.url}/identitytoolkit.googleapis.com/v1/{path}?key={key}"
        answer = requests.post(url, json=body or {}, timeout=60)
        secrets.note_message(answer.json())
        return answer

    def sign_up(self, key=FAKE_KEY, **body):
        """The session of a new account, and the project that it is of."""
        answer = self.post("accounts:signUp", {"returnSecureToken": True, **body}, key)
        assert answer.status_code == 200, answer.text
        claims = jwt.decode(answer.json()["idToken"], options={"verify_signature": False})
        return answer.json(), claims["aud"]

    def document(self, project, verb, token=None):
        url = f"{self.running.url}/v1/projects/{project}/databases/(default)/documents/notes/one"
        headers = {"Authorization": f"Bearer {token}"} if token else OWNER
        return requests.request(verb, url, json={"fields": {}}, headers=headers, timeout=60)


@pytest.fixture
def fresh(tmp_path):
    made = Fresh(tmp_path)
    yield made
    if made.running:
        assert made.running.stop() == 0, made.running.output[-4000:]


class TestKeys:
    def test_a_key_that_names_no_project_means_the_servers_own(self, fresh):
        fresh.start()
        _, project = fresh.sign_up(email="ana@example.com", password=PASSWORD)
        assert project == "demo-brasa"
        # A key in the form of a project's id is none where there is no such project.
        assert fresh.sign_up("my-shop")[1] == "demo-brasa"
        assert fresh.document("my-shop", "PATCH").status_code == 200
        assert fresh.sign_up("my-shop")[1] == "my-shop"
        # Accounts are found again when other projects have come.
        body = {"email": "ana@example.com", "password": PASSWORD}
        assert fresh.post("accounts:signInWithPassword", body).status_code == 200

    def test_the_only_project_is_the_servers_own(self, fresh):
        fresh.start()
        assert fresh.document("demo-shop", "PATCH").status_code == 200
        session, project = fresh.sign_up()
        assert project == "demo-shop"
        assert fresh.document("demo-test", "PATCH").status_code == 200
        fresh.start()
        assert fresh.sign_up()[1] == "demo-shop"
        looked = fresh.post("accounts:lookup", {"idToken": session["idToken"]})
        assert looked.status_code == 200

    def test_the_operator_names_it(self, fresh):
        fresh.start("--project", "named-shop")
        assert fresh.sign_up()[1] == "named-shop"
        fresh.start(BRASA_PROJECT="other-shop")
        assert fresh.sign_up()[1] == "other-shop"

    def test_a_token_of_any_audience_is_taken_and_told(self, fresh):
        running = fresh.start()
        assert rules.put(running, "data-shop", """
            service cloud.firestore {
              match /databases/{database}/documents/notes/{id} {
                allow read, write: if request.auth.token.aud == 'account-shop';
              }
            }
        """).status_code == 200
        Identity(running, "account-shop")
        session, project = fresh.sign_up("account-shop", email="ana@example.com", password=PASSWORD)
        assert project == "account-shop"
        assert fresh.document("data-shop", "PATCH", session["idToken"]).status_code == 200
        running.wait_for_output("accepted in development only")
        # The account is found by the key of another project, and its session goes on there.
        looked = fresh.post("accounts:lookup", {"idToken": session["idToken"]}, "data-shop")
        assert looked.json()["users"][0]["localId"] == session["localId"]
        refreshed = requests.post(
            f"{running.url}/securetoken.googleapis.com/v1/token?key=data-shop", timeout=60,
            data={"grant_type": "refresh_token", "refresh_token": session["refreshToken"]},
        )
        assert refreshed.status_code == 200, refreshed.text
        secrets.note_message(refreshed.json())


class TestEnumeration:
    def test_protection_is_off_until_a_project_turns_it_on(self, identity):
        identity.client("signUp", email="ana@example.com", password=PASSWORD)
        refused("INVALID_PASSWORD", identity.client, "signInWithPassword",
                email="ana@example.com", password="not this one")
        refused("EMAIL_NOT_FOUND", identity.client, "signInWithPassword",
                email="bia@example.com", password="not this one")
        refused("EMAIL_NOT_FOUND", identity.client, "sendOobCode",
                requestType="PASSWORD_RESET", email="bia@example.com")
        asked = {"identifier": "ana@example.com", "continueUri": "http://localhost"}
        answer = identity.client("createAuthUri", **asked)
        assert answer["registered"] is True and answer["signinMethods"] == ["password"]
        path = f"/emulator/v1/projects/{identity.project}/config"
        off = identity.send("GET", path)["emailPrivacyConfig"]
        assert off == {"enableImprovedEmailPrivacy": False}
        identity.send("PATCH", path, {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})
        for email in ("ana@example.com", "bia@example.com"):
            refused("INVALID_LOGIN_CREDENTIALS", identity.client, "signInWithPassword",
                    email=email, password="not this one")
        assert "registered" not in identity.client("createAuthUri", **asked)


class TestProviders:
    """The cases of the Auth emulator's own suite for `accounts:signInWithIdp`."""

    @staticmethod
    def sign_in(identity, provider="google.com", field="id_token", idToken=None, more="", **claims):
        token = json.dumps(claims) if "jwt" not in claims else claims["jwt"]
        form = requests.compat.urlencode({"providerId": provider, field: token}) + more
        body = {"idToken": idToken} if idToken else {}
        return identity.client(
            "signInWithIdp", requestUri="http://localhost", postBody=form, returnSecureToken=True,
            returnIdpCredential=True, **body,
        )

    @pytest.mark.parametrize("field", ["id_token", "access_token"])
    @pytest.mark.parametrize("as_jwt", [False, True])
    def test_claims_count_without_a_proof_in_either_token(self, identity, field, as_jwt):
        claims = {"sub": "g-1", "email": "Ana@example.com", "email_verified": True, "name": "Ana"}
        claims = {"jwt": unsigned(**claims)} if as_jwt else claims
        made = self.sign_in(identity, field=field, **claims)
        assert made["isNewUser"] is True and made["emailVerified"] is True
        assert made["federatedId"] == "https://accounts.google.com/g-1" and made["displayName"] == "Ana"
        information = json.loads(made["rawUserInfo"])
        assert information["id"] == "g-1" and information["verified_email"] is True
        assert made["oauthAccessToken"] and ("oauthIdToken" in made) == (field == "id_token")
        again = self.sign_in(identity, field=field, **claims)
        assert again["localId"] == made["localId"] and "isNewUser" not in again

    def test_a_provider_that_is_set_up_takes_claims_too(self, identity):
        identity.admin("/oauthIdpConfigs?oauthIdpConfigId=oidc.set-up", version="v2",
                       clientId="web", issuer="https://nowhere.invalid", enabled=True)
        made = self.sign_in(identity, "oidc.set-up", sub="o-1")
        assert made["isNewUser"] is True
        # What is signed is checked where there is something to check it with.
        signed = jwt.encode({"sub": "o-1"}, "x" * 32, algorithm="HS256")
        refused("INVALID_IDP_RESPONSE", self.sign_in, identity, "oidc.set-up", jwt=signed)

    @pytest.mark.parametrize("token, code", [
        ('{"sub"', "INVALID_IDP_RESPONSE"), ("{}", "INVALID_IDP_RESPONSE"),
        ('{"sub": 7}', "INVALID_IDP_RESPONSE"), ("gibberish", "INVALID_IDP_RESPONSE"),
    ])
    def test_what_carries_no_claims_is_refused(self, identity, token, code):
        form = requests.compat.urlencode({"providerId": "google.com", "id_token": token})
        refused(code, identity.client, "signInWithIdp", requestUri="http://localhost", postBody=form)

    def test_an_opaque_access_token_is_refused(self, identity):
        refused("OPERATION_NOT_ALLOWED", identity.client, "signInWithIdp",
                requestUri="http://localhost", postBody="providerId=facebook.com&access_token=opaque")

    def test_a_verified_address_takes_an_unverified_account_over(self, identity):
        made = identity.client("signUp", email="ana@example.com", password=PASSWORD, displayName="Impostor")
        taken = self.sign_in(identity, sub="g-1", email="ana@example.com", email_verified=True,
                             name="Ana", picture="http://localhost/ana.png")
        assert taken["localId"] == made["localId"] and taken["emailVerified"] is True
        [user] = identity.client("lookup", idToken=taken["idToken"])["users"]
        assert [each["providerId"] for each in user["providerUserInfo"]] == ["google.com"]
        assert user["displayName"] == "Ana" and user["photoUrl"].endswith("ana.png")
        refused("INVALID_PASSWORD", identity.client, "signInWithPassword",
                email="ana@example.com", password=PASSWORD)

    def test_a_verified_account_keeps_its_password(self, identity):
        made = identity.client("signUp", email="ana@example.com", password=PASSWORD)
        identity.admin("/accounts:update", localId=made["localId"], emailVerified=True)
        joined = self.sign_in(identity, sub="g-1", email="ana@example.com", email_verified=True)
        assert joined["localId"] == made["localId"]
        identity.client("signInWithPassword", email="ana@example.com", password=PASSWORD)
        recycled = self.sign_in(identity, sub="g-2", email="ana@example.com", email_verified=True)
        assert recycled["localId"] == made["localId"] and recycled["emailRecycled"] is True

    def test_two_unverified_addresses_need_a_confirmation(self, identity):
        made = identity.client("signUp", email="ana@example.com", password=PASSWORD)
        answer = self.sign_in(identity, sub="g-1", email="ana@example.com")
        assert answer["needConfirmation"] is True and answer["localId"] == made["localId"]
        assert "idToken" not in answer and "refreshToken" not in answer

    def test_linking(self, identity):
        guest = identity.client("signUp", returnSecureToken=True)
        linked = self.sign_in(identity, idToken=guest["idToken"], sub="g-1", email="ana@example.com")
        assert linked["localId"] == guest["localId"]
        [user] = identity.client("lookup", idToken=linked["idToken"])["users"]
        assert user["email"] == "ana@example.com" and user["emailVerified"] is False
        other = identity.client("signUp", returnSecureToken=True)
        for token in (linked["idToken"], other["idToken"]):
            answer = self.sign_in(identity, idToken=token, sub="g-1", email="ana@example.com")
            assert answer["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED" and "idToken" not in answer
        taken = self.sign_in(identity, idToken=other["idToken"], sub="g-2", email="ana@example.com")
        assert taken["errorMessage"] == "EMAIL_EXISTS"


class TestPages:
    """Any page that a developer opens can send requests to a port of his own machine."""

    EVIL = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    LOCAL = {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "same-site"}

    @staticmethod
    def send(server, verb, path, **headers):
        return requests.request(verb, server.url + path, headers=headers, timeout=60)

    def routes(self, project):
        documents = f"projects/{project}/databases/(default)/documents"
        return [
            ("DELETE", f"/emulator/v1/{documents}"), ("DELETE", f"/emulator/v1/{documents}/notes/one"),
            ("DELETE", f"/emulator/v1/projects/{project}/accounts"),
        ]

    def test_destructive_routes_answer_to_pages_on_loopback_only(self, server, project):
        for verb, path in self.routes(project):
            for headers in (
                self.EVIL, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {**self.EVIL, **OWNER},
            ):
                answer = self.send(server, verb, path, **headers)
                assert answer.status_code == 403 and "Access-Control-Allow-Origin" not in answer.headers
            for headers in (self.LOCAL, {}, OWNER, {"Sec-Fetch-Site": "none"}):
                assert self.send(server, verb, path, **headers).status_code == 200, headers
        reset = self.send(server, "POST", "/reset", **self.EVIL)
        assert reset.status_code == 403 and "--dev-origin" in reset.json()["error"]["message"]
        asked = {**self.EVIL, "Access-Control-Request-Method": "DELETE"}
        preflight = self.send(server, "OPTIONS", self.routes(project)[0][1], **asked)
        assert preflight.status_code == 403 and "Access-Control-Allow-Origin" not in preflight.headers

    def test_a_foreign_page_is_no_owner(self, server, project, http):
        path = f"/v1/projects/{project}/databases/(default)/documents/notes/one"
        assert self.send(server, "PATCH", path, **OWNER).status_code == 200
        assert rules.put(server, project, rules.PRODUCTS).status_code == 200
        for token in ("owner", "Owner", "ya29.token"):
            answer = self.send(server, "GET", path, **self.EVIL, Authorization=f"Bearer {token}")
            assert answer.status_code == 403
            local = self.send(server, "GET", path, **self.LOCAL, Authorization=f"Bearer {token}")
            assert local.status_code == 200
        # WebChannel carries its headers in the address or the body.
        database = f"projects/{project}/databases/(default)"
        for page, found in ((self.LOCAL, "streamToken"), (self.EVIL, "error")):
            session = webchannel.Session(server, database)
            assert session.open(headers=page).status_code == 200
            message = session.get(headers=page).message()
            assert found in message[1][0], message
            session.close()

    def test_pages_of_other_hosts_names_are_refused(self, server, project):
        path = f"/v1/projects/{project}/databases/(default)/documents/notes/one"
        for host in ("evil.example", "evil.example:80", f"127.0.0.1.evil.example:{server.port}"):
            answer = self.send(server, "PATCH", path, Host=host)
            assert answer.status_code == 403 and "--allow-remote-dev" in answer.json()["error"]["message"]
        for host in ("localhost", f"10.0.2.2:{server.port}", "[::1]"):
            assert self.send(server, "PATCH", path, Host=host, **OWNER).status_code == 200, host

    def test_the_operator_names_hosts_and_pages(self, fresh):
        running = fresh.start(
            "--allow-remote-dev", "brasa.test,other.test", "--dev-origin", "http://page.test:3000",
            "--origin", "http://mine.test",
        )
        # A server with sites keeps such names for them.
        path = "/v1/projects/demo/databases/(default)/documents/notes/one"
        assert self.send(running, "PATCH", path, Host="app.localhost:8080", **OWNER).status_code == 200
        for host in ("brasa.test:8080", "OTHER.test", "mine.test"):
            assert self.send(running, "GET", "/healthz", Host=host).status_code == 200, host
        assert self.send(running, "GET", "/healthz", Host="third.test").status_code == 403
        for page in ("http://page.test:3000", "http://brasa.test", "https://mine.test"):
            assert self.send(running, "POST", "/reset", Origin=page).status_code == 200, page
        assert self.send(running, "POST", "/reset", Origin="http://page.test").status_code == 403
        running = fresh.start("--allow-remote-dev", BRASA_DEV_ORIGIN="http://page.test")
        assert self.send(running, "GET", "/healthz", Host="brasa.test").status_code == 403
        assert self.send(running, "POST", "/reset", Origin="http://page.test").status_code == 200
        done = servers.run("serve", "--dev", "--dev-origin", "page.test", check=False)
        assert done.returncode != 0 and "--dev-origin" in done.stderr

    def test_a_browser_is_kept_out_and_let_in(self, server, project, browser):
        """A page of a foreign origin, and the same one on localhost, in Chromium."""
        document = f"{server.url}/v1/projects/{project}/databases/(default)/documents/notes/one"
        assert requests.patch(document, json={"fields": {}}, headers=OWNER, timeout=60).status_code == 200
        clear = f"{server.url}/emulator/v1/projects/{project}/databases/(default)/documents"
        script = """
            const done = arguments[arguments.length - 1];
            fetch(arguments[0], {method: arguments[1]}).then(a => done(a.status), e => done("kept out"));
        """
        pages = browsers.Pages()
        browser.driver.get(pages.url.replace("127.0.0.1", "evil.example"))
        assert browser.driver.execute_async_script(script, clear, "DELETE") == "kept out"
        assert browser.driver.execute_async_script(script, f"{server.url}/reset", "POST") == "kept out"
        assert requests.get(document, headers=OWNER, timeout=60).status_code == 200
        browser.driver.get(pages.url.replace("127.0.0.1", "localhost"))
        assert browser.driver.execute_async_script(script, clear, "DELETE") == 200
        assert requests.get(document, headers=OWNER, timeout=60).status_code == 404
        pages.close()

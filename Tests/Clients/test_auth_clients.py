"""What the web and phone SDKs call: signing up and in, sessions, changes, emails, second factors."""

import base64
import concurrent.futures
import hashlib
import hmac
import json
import struct
import time

import jwt
import pytest
import requests

from support.identity import Identity, Refused, code_of

pytestmark = pytest.mark.brasa_only

PASSWORD = "correct horse 7"


@pytest.fixture
def identity(server, project):
    return Identity(server, project)


def claims(token):
    return jwt.decode(token, options={"verify_signature": False})


@pytest.fixture
def ana(identity):
    return identity.client(
        "signUp", email="Ana@Example.com", password=PASSWORD, returnSecureToken=True
    )


def refused(code, call, *arguments, **body):
    with pytest.raises(Refused) as refusal:
        call(*arguments, **body)
    assert refusal.value.code == code, refusal.value.message
    error = refusal.value.body["error"]
    assert error["code"] == refusal.value.status
    assert error["errors"][0]["domain"] == "global" and "reason" in error["errors"][0]
    return refusal.value


@pytest.fixture
def protected(identity):
    """The project hides which addresses have accounts, as production does."""
    path = f"/emulator/v1/projects/{identity.project}/config"
    identity.send("PATCH", path, {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})


class TestSigningUp:
    def test_by_password(self, identity, ana):
        assert ana["kind"] == "identitytoolkit#SignupNewUserResponse"
        assert ana["email"] == "ana@example.com" and ana["expiresIn"] == "3600"
        found = claims(ana["idToken"])
        assert found["iss"] == f"https://securetoken.google.com/{identity.project}"
        assert found["aud"] == identity.project and found["sub"] == ana["localId"]
        assert found["user_id"] == ana["localId"] and found["email_verified"] is False
        assert found["firebase"] == {
            "identities": {"email": ["ana@example.com"]}, "sign_in_provider": "password"
        }
        assert found["exp"] == found["iat"] + 3600

    def test_anonymously_and_upgraded(self, identity):
        guest = identity.client("signUp", returnSecureToken=True)
        assert claims(guest["idToken"])["provider_id"] == "anonymous"
        user = identity.client(
            "signUp", idToken=guest["idToken"], email="guest@example.com", password=PASSWORD
        )
        assert user["localId"] == guest["localId"]
        again = identity.client(
            "signInWithPassword", email="guest@example.com", password=PASSWORD
        )
        assert again["localId"] == guest["localId"]

    @pytest.mark.parametrize(
        "code, body",
        [
            ("MISSING_EMAIL", {"password": PASSWORD}),
            ("MISSING_PASSWORD", {"email": "a@example.com"}),
            ("INVALID_EMAIL", {"email": "a b@example.com", "password": PASSWORD}),
            # An empty address is not an absent one.
            ("INVALID_EMAIL", {"email": "", "password": PASSWORD}),
            ("INVALID_EMAIL", {"email": "", "password": ""}),
            ("INVALID_EMAIL", {"email": "", "displayName": "Ana"}),
            ("WEAK_PASSWORD", {"email": "a@example.com", "password": "12345"}),
            ("UNEXPECTED_PARAMETER", {"localId": "mine", "email": "a@example.com", "password": PASSWORD}),
            ("UNSUPPORTED_TENANT_OPERATION", {"tenantId": "t", "email": "a@example.com", "password": PASSWORD}),
        ],
    )
    def test_refusals(self, identity, code, body):
        refused(code, identity.client, "signUp", **body)

    @pytest.mark.parametrize("name, body", [
        ("signInWithPassword", {"password": PASSWORD}), ("signInWithEmailLink", {"oobCode": "x"}),
        ("sendOobCode", {"requestType": "PASSWORD_RESET"}), ("sendOobCode", {"requestType": "EMAIL_SIGNIN", "continueUrl": "http://localhost"}),
    ])
    def test_an_empty_address_is_none(self, identity, name, body):
        refused("INVALID_EMAIL", identity.client, name, email="", **body)
        refused("MISSING_EMAIL", identity.client, name, **body)

    def test_nobody_sets_an_empty_address(self, identity, ana):
        refused("INVALID_EMAIL", identity.client, "update", idToken=ana["idToken"], email="")
        refused("INVALID_EMAIL", identity.admin, "/accounts:update", localId=ana["localId"], email="")
        refused("INVALID_EMAIL", identity.admin, "/accounts", localId="bia", email="")
        assert identity.client("lookup", idToken=ana["idToken"])["users"][0]["email"] == "ana@example.com"

    def test_an_address_has_one_account(self, identity, ana):
        refused("EMAIL_EXISTS", identity.client, "signUp", email="ANA@example.com", password=PASSWORD)

    def test_many_at_once_make_one_account(self, identity):
        def sign_up(_):
            try:
                return identity.client("signUp", email="one@example.com", password=PASSWORD)["localId"]
            except Refused as refusal:
                return refusal.code

        # Each costs a hash; `test_auth_limits.py` has a hundred.
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            outcomes = list(pool.map(sign_up, range(20)))
        made = [o for o in outcomes if o not in ("EMAIL_EXISTS", "TOO_MANY_ATTEMPTS_TRY_LATER")]
        assert len(made) == 1, outcomes
        listed = identity.admin("/accounts:batchGet", verb="GET")["users"]
        assert [user["localId"] for user in listed] == made


class TestSessions:
    def test_by_password(self, identity, ana):
        session = identity.client("signInWithPassword", email="ana@example.com", password=PASSWORD)
        assert session["registered"] is True and session["localId"] == ana["localId"]
        [user] = identity.client("lookup", idToken=session["idToken"])["users"]
        assert user["passwordHash"] == "UkVEQUNURUQ=" and "salt" not in user
        assert [p["providerId"] for p in user["providerUserInfo"]] == ["password"]
        assert isinstance(user["createdAt"], str) and isinstance(user["lastLoginAt"], str)

    def test_wrong_passwords_and_addresses_look_alike(self, identity, protected, ana):
        first = refused(
            "INVALID_LOGIN_CREDENTIALS", identity.client, "signInWithPassword",
            email="ana@example.com", password="not this one",
        )
        second = refused(
            "INVALID_LOGIN_CREDENTIALS", identity.client, "signInWithPassword",
            email="nobody@example.com", password="not this one",
        )
        assert first.body == second.body

    def test_they_differ_where_the_project_says_so(self, identity, ana):
        path = f"/emulator/v1/projects/{identity.project}/config"
        identity.send("PATCH", path, {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}})
        for code, email in (("INVALID_PASSWORD", "ana@example.com"), ("EMAIL_NOT_FOUND", "x@example.com")):
            refused(code, identity.client, "signInWithPassword", email=email, password="not this one")
        answer = identity.client(
            "createAuthUri", identifier="ana@example.com", continueUri="http://localhost/"
        )
        assert answer["registered"] is True and answer["signinMethods"] == ["password"]

    def test_refresh_by_form_and_json(self, identity, ana):
        fresh = identity.refresh(ana["refreshToken"])
        assert fresh["access_token"] == fresh["id_token"] and fresh["expires_in"] == "3600"
        assert fresh["user_id"] == ana["localId"] and fresh["token_type"] == "Bearer"
        url = f"{identity.base}/securetoken.googleapis.com/v1/token?key={identity.project}"
        body = {"grantType": "refresh_token", "refreshToken": ana["refreshToken"]}
        ios = requests.post(url, json=body, timeout=30)
        assert ios.status_code == 200 and ios.json()["user_id"] == ana["localId"]

    def test_refresh_refusals(self, identity):
        refused("INVALID_REFRESH_TOKEN", identity.refresh, "nothing")
        refused("MISSING_REFRESH_TOKEN", identity.refresh, "")

    def test_a_custom_token(self, identity):
        token = jwt.encode(
            {
                "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
                "iss": "firebase-auth-emulator@example.com", "sub": "firebase-auth-emulator@example.com",
                "iat": int(time.time()), "exp": int(time.time()) + 3600,
                "uid": "chosen", "claims": {"role": "editor"},
            },
            None, algorithm="none",
        )
        session = identity.client("signInWithCustomToken", token=token, returnSecureToken=True)
        assert session["isNewUser"] is True
        found = claims(session["idToken"])
        assert found["sub"] == "chosen" and found["role"] == "editor"
        assert found["firebase"]["sign_in_provider"] == "custom"

    def test_deletion_ends_the_session(self, identity, ana):
        identity.client("delete", idToken=ana["idToken"])
        refused("USER_NOT_FOUND", identity.client, "lookup", idToken=ana["idToken"])
        refused("TOKEN_EXPIRED", identity.refresh, ana["refreshToken"])

    def test_another_password_ends_older_sessions(self, identity, ana):
        fresh = identity.client("update", idToken=ana["idToken"], password="another one 8")
        assert fresh["idToken"] != ana["idToken"]
        refused("TOKEN_EXPIRED", identity.client, "lookup", idToken=ana["idToken"])
        refused("TOKEN_EXPIRED", identity.refresh, ana["refreshToken"])
        identity.client("lookup", idToken=fresh["idToken"])
        identity.refresh(fresh["refreshToken"])

    @pytest.mark.parametrize("token", ["x", "a.b.c", ""])
    def test_tokens_that_are_none(self, identity, token):
        code = "INVALID_ID_TOKEN" if token else "MISSING_ID_TOKEN"
        refused(code, identity.client, "lookup", idToken=token)


class TestChanges:
    def test_the_profile(self, identity, ana):
        answer = identity.client(
            "update", idToken=ana["idToken"], displayName="Ana", photoUrl="https://x.example/a.png"
        )
        assert answer["displayName"] == "Ana"
        answer = identity.client(
            "update", idToken=ana["idToken"], deleteAttribute=["DISPLAY_NAME", "PHOTO_URL"]
        )
        assert "displayName" not in answer and "photoUrl" not in answer

    def test_what_is_an_administrators(self, identity, ana):
        for body in ({"customAttributes": '{"admin":true}'}, {"emailVerified": True}, {"localId": "x"}):
            refused(
                "INSUFFICIENT_PERMISSION", identity.client, "update", idToken=ana["idToken"], **body
            )
        refused("INSUFFICIENT_PERMISSION", identity.client, "lookup", localId=[ana["localId"]])
        refused("INSUFFICIENT_PERMISSION", identity.client, "delete", localId=ana["localId"])


class TestEmails:
    def test_a_new_password(self, identity, ana):
        answer = identity.client("sendOobCode", requestType="PASSWORD_RESET", email="ana@example.com")
        assert answer == {
            "kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": "ana@example.com"
        }
        [email] = identity.codes()
        assert email["requestType"] == "PASSWORD_RESET" and email["oobCode"] in email["oobLink"]
        looked = identity.client("resetPassword", oobCode=email["oobCode"])
        assert looked["email"] == "ana@example.com" and looked["requestType"] == "PASSWORD_RESET"
        identity.client("resetPassword", oobCode=email["oobCode"], newPassword="quite new 9")
        identity.client("signInWithPassword", email="ana@example.com", password="quite new 9")
        refused(
            "INVALID_OOB_CODE", identity.client, "resetPassword",
            oobCode=email["oobCode"], newPassword="once more 9",
        )
        assert identity.codes() == []

    def test_nobody_learns_who_has_an_account(self, identity, protected):
        answer = identity.client("sendOobCode", requestType="PASSWORD_RESET", email="no@example.com")
        assert answer["email"] == "no@example.com"
        assert identity.codes() == []

    def test_verification(self, identity, ana):
        identity.client("sendOobCode", requestType="VERIFY_EMAIL", idToken=ana["idToken"])
        [email] = identity.codes()
        answer = identity.client("update", oobCode=code_of(email["oobLink"]))
        assert answer["emailVerified"] is True and answer["localId"] == ana["localId"]

    def test_a_change_of_address(self, identity, ana):
        identity.client(
            "sendOobCode", requestType="VERIFY_AND_CHANGE_EMAIL", idToken=ana["idToken"],
            newEmail="new@example.com",
        )
        [email] = identity.codes()
        assert email["newEmail"] == "new@example.com"
        done = identity.client("update", oobCode=email["oobCode"])
        assert done["newEmail"] == done["email"] == "new@example.com"
        identity.client("signInWithPassword", email="new@example.com", password=PASSWORD)

    def test_a_sign_in_by_link(self, identity):
        refused("MISSING_CONTINUE_URI", identity.client, "sendOobCode",
                requestType="EMAIL_SIGNIN", email="bia@example.com")
        refused("INVALID_CONTINUE_URI", identity.client, "sendOobCode",
                requestType="EMAIL_SIGNIN", email="bia@example.com", continueUrl="javascript:alert(1)")
        identity.client(
            "sendOobCode", requestType="EMAIL_SIGNIN", email="bia@example.com",
            continueUrl="http://localhost/in", canHandleCodeInApp=True,
        )
        [email] = identity.codes()
        refused("INVALID_EMAIL", identity.client, "signInWithEmailLink",
                email="other@example.com", oobCode=email["oobCode"])
        session = identity.client("signInWithEmailLink", email="bia@example.com", oobCode=email["oobCode"])
        assert session["isNewUser"] is True
        [user] = identity.client("lookup", idToken=session["idToken"])["users"]
        assert user["emailVerified"] is True and user["emailLinkSignin"] is True


def timed_code(secret, step=None):
    """RFC 6238, written here anew."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    counter = int(time.time()) // 30 if step is None else step
    digest = hmac.new(key, struct.pack(">Q", counter), hashlib.sha1).digest()
    offset = digest[-1] & 15
    number = struct.unpack(">I", digest[offset:offset + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"


class TestSecondFactors:
    def enroll(self, identity, ana):
        identity.client("sendOobCode", requestType="VERIFY_EMAIL", idToken=ana["idToken"])
        identity.client("update", oobCode=identity.codes()[0]["oobCode"])
        started = identity.client(
            "accounts/mfaEnrollment:start", idToken=ana["idToken"], totpEnrollmentInfo={}
        )["totpSessionInfo"]
        assert started["verificationCodeLength"] == 6 and started["periodSec"] == 30
        step = int(time.time()) // 30
        finished = identity.client(
            "accounts/mfaEnrollment:finalize", idToken=ana["idToken"], displayName="phone",
            totpVerificationInfo={
                "sessionInfo": started["sessionInfo"],
                "verificationCode": timed_code(started["sharedSecretKey"], step),
            },
        )
        return started["sharedSecretKey"], step, finished

    def test_the_first_factor_alone_gives_no_token(self, identity, ana):
        secret, step, finished = self.enroll(identity, ana)
        assert claims(finished["idToken"])["firebase"]["sign_in_second_factor"] == "totp"
        pending = identity.client("signInWithPassword", email="ana@example.com", password=PASSWORD)
        assert "idToken" not in pending and "refreshToken" not in pending
        [factor] = pending["mfaInfo"]
        assert factor["displayName"] == "phone" and factor["totpInfo"] == {}
        assert secret not in json.dumps(pending)
        body = {
            "mfaPendingCredential": pending["mfaPendingCredential"],
            "mfaEnrollmentId": factor["mfaEnrollmentId"],
        }
        for wrong in ("000000", timed_code(secret, step)):
            refused(
                "INVALID_CODE", identity.client, "accounts/mfaSignIn:finalize",
                totpVerificationInfo={"verificationCode": wrong}, **body,
            )
        session = identity.client(
            "accounts/mfaSignIn:finalize",
            totpVerificationInfo={"verificationCode": timed_code(secret, step + 1)}, **body,
        )
        [user] = identity.client("lookup", idToken=session["idToken"])["users"]
        assert user["mfaInfo"][0]["totpInfo"] == {} and secret not in json.dumps(user)


class TestForms:
    """The paths, names and refusals of every form of the API."""

    def test_the_old_names(self, identity, server):
        base = f"{server.url}/www.googleapis.com/identitytoolkit/v3/relyingparty"
        body = {"email": "ios@example.com", "password": PASSWORD, "returnSecureToken": True}
        made = requests.post(f"{base}/signupNewUser?key={identity.project}", json=body, timeout=30)
        assert made.status_code == 200, made.text
        found = requests.post(
            f"{base}/getAccountInfo?key={identity.project}",
            json={"idToken": made.json()["idToken"]}, timeout=30,
        )
        assert found.json()["users"][0]["email"] == "ios@example.com"
        configuration = requests.get(f"{base}/getProjectConfig?key={identity.project}", timeout=30)
        assert "localhost" in configuration.json()["authorizedDomains"]

    def test_production_paths(self, identity, server, ana):
        body = {"email": "ana@example.com", "password": PASSWORD}
        for path in ("/v1/accounts:signInWithPassword", "/identitytoolkit/v3/relyingparty/verifyPassword"):
            answer = requests.post(f"{server.url}{path}?key={identity.project}", json=body, timeout=30)
            assert answer.json()["localId"] == ana["localId"]
        header = {"x-goog-api-key": identity.project}
        answer = requests.post(
            f"{server.url}/v1/accounts:signInWithPassword", json=body, headers=header, timeout=30
        )
        assert answer.status_code == 200

    def test_firestore_keeps_its_paths(self, server, http):
        http.documents("PATCH", "accounts/ana", json={"fields": {"n": {"integerValue": "1"}}})
        assert http.documents("GET", "accounts/ana")["fields"]["n"]["integerValue"] == "1"

    def test_a_key_is_needed(self, server):
        answer = requests.post(f"{server.url}/v1/accounts:signUp", json={}, timeout=30)
        assert answer.status_code == 403
        assert answer.json()["error"]["message"] == "The request is missing a valid API key."

    def test_unknown_input_is_refused(self, identity):
        with pytest.raises(Refused) as failure:
            identity.client("signUp", email="a@example.com", password=PASSWORD, colour="red")
        assert "Unknown name \"colour\"" in failure.value.message
        with pytest.raises(Refused) as failure:
            identity.client("signUp", email=7, password=PASSWORD)
        assert failure.value.message == "Invalid value at 'email' (TYPE_STRING), 7"
        for path in ("v1/accounts:dance", "v1/dance", "v2/dance", "v3/dance"):
            with pytest.raises(Refused) as failure:
                identity.send("POST", f"/identitytoolkit.googleapis.com/{path}?key=x", {})
            assert failure.value.status == 404
        answer = identity.session.post(
            f"{identity.base}/v1/accounts:signUp?key=k", data="{", timeout=30,
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code == 400 and "Invalid JSON" in answer.json()["error"]["message"]

    def test_a_body_is_bounded(self, identity):
        answer = identity.session.post(
            f"{identity.base}/v1/accounts:signUp?key=k", json={"email": "a" * 400_000}, timeout=30
        )
        assert answer.status_code == 413

    @pytest.mark.parametrize(
        "name", ["signInWithPhoneNumber", "sendVerificationCode", "signInWithGameCenter"]
    )
    def test_what_is_not_there_says_so(self, identity, name):
        refused("OPERATION_NOT_ALLOWED", identity.client, name, anything=1)

    def test_calls_at_the_start(self, identity):
        assert identity.get("v1/projects")["authorizedDomains"]
        states = identity.get("v2/recaptchaConfig")["recaptchaEnforcementState"]
        assert {state["enforcementState"] for state in states} == {"OFF"}
        policy = identity.get("v2/passwordPolicy")
        assert policy["customStrengthOptions"]["minPasswordLength"] == 6 and policy["schemaVersion"] == 1

    def test_cross_origin_calls(self, identity):
        answer = identity.session.options(
            f"{identity.base}/v1/accounts:signUp?key=k", timeout=30,
            headers={
                "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "x-client-version,x-firebase-client,x-firebase-gmpid",
            },
        )
        assert answer.status_code in (200, 204)
        assert "x-firebase-gmpid" in answer.headers["Access-Control-Allow-Headers"]

    def test_the_pages(self, server):
        for path in ("action", "handler"):
            page = requests.get(f"{server.url}/__/auth/{path}?lang=pt-BR&mode=x<script>", timeout=30)
            assert page.status_code == 200 and 'lang="pt-BR"' in page.text
            assert "<script>" not in page.text.replace('<script src="/__/auth/', "")
            policy = page.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy
            assert page.headers["Referrer-Policy"] == "no-referrer"
            assert page.headers["X-Content-Type-Options"] == "nosniff"
        for file in ("page.css", "icon.svg", "action.js", "handler.js"):
            assert requests.get(f"{server.url}/__/auth/{file}", timeout=30).status_code == 200

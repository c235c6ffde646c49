"""Sign-in with an identity provider that we did not write, oidc-provider-mock, in production."""

import base64
import json
import urllib.parse

import jwt
import pytest

from support import cluster, oidc, postgres, secrets, server as servers
from support.certificates import certificate_for
from support.identity import Identity, Refused

pytestmark = pytest.mark.brasa_only

PASSWORD = "correct horse 7"
PROJECT = "shop-corporate"
ID = "oidc.corp"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return certificate_for(["localhost"], tmp_path_factory.mktemp("oidc"))


@pytest.fixture(scope="module")
def provider(certificates):
    made = oidc.Provider(certificates)
    yield made
    made.close()


def environment(certificates):
    """What a server needs that asks the provider."""
    return {"BRASA_PROJECT": PROJECT, "BRASA_OUTBOUND_PRIVATE": "true", "BRASA_OUTBOUND_CA": str(certificates / "authority.pem")}


@pytest.fixture(scope="module")
def shop(certificates, provider, tmp_path_factory):
    server = servers.Brasa(
        tmp_path_factory.mktemp("shop") / "data", "--log-level", "trace", development=False, environment=environment(certificates),
    ).start()
    configure(server, ID, provider.issuer)
    yield server
    assert server.stop() == 0, server.output[-4000:]


def configure(server, identifier, issuer, client="web", **more):
    Identity(server, PROJECT).admin(
        f"/oauthIdpConfigs?oauthIdpConfigId={identifier}", version="v2",
        token=server.administrator_key, clientId=client, clientSecret="secret-of-the-web-client",
        issuer=issuer, enabled=True, **more,
    )


@pytest.fixture
def identity(shop):
    return Identity(shop, PROJECT)


numbers = iter(range(1_000))


@pytest.fixture
def person(provider):
    """Somebody new at the provider, with a verified address."""
    subject = f"person-{next(numbers)}"
    provider.person(subject, email=f"{subject}@corp.example", email_verified=True, name="Ana Corp")
    return subject


def begin(identity, identifier=ID):
    """The address where a person signs in, and the session."""
    origin = identity.base
    begun = identity.client(
        "createAuthUri", providerId=identifier, continueUri=f"{origin}/__/auth/handler"
    )
    secrets.note(begun["sessionId"], "session of a sign-in")
    return begun["authUri"], begun["sessionId"]


def finish(identity, back, session, identifier=ID, **more):
    return identity.client(
        "signInWithIdp", requestUri=back, sessionId=session, postBody=f"providerId={identifier}",
        returnSecureToken=True, **more,
    )


def with_token(identity, token, identifier=ID, nonce=None, **more):
    body = f"providerId={identifier}&id_token={token}" + (f"&nonce={nonce}" if nonce else "")
    return identity.client(
        "signInWithIdp", requestUri="http://localhost", postBody=body, returnSecureToken=True, **more
    )


def refused(code, call, *arguments, **more):
    with pytest.raises(Refused) as refusal:
        call(*arguments, **more)
    assert refusal.value.code == code, refusal.value.message
    return refusal.value.message


def fields_of(uri):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(uri).query))


def test_the_code_flow_with_pkce(identity, provider, person, shop):
    uri, session = begin(identity)
    asked = fields_of(uri)
    assert uri.startswith(f"{provider.issuer}/oauth2/authorize?")
    assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
    assert asked["client_id"] == "web" and len(asked["code_challenge"]) == 43
    assert asked["redirect_uri"] == f"{shop.url}/__/auth/handler" and asked["nonce"] != asked["state"]
    back = provider.consent(uri, person)
    assert identity.session.get(back, timeout=30).status_code == 200
    signed = finish(identity, back, session)
    assert signed["isNewUser"] is True and signed["providerId"] == ID
    assert signed["federatedId"] == person and signed["emailVerified"] is True
    claims = jwt.decode(signed["idToken"], options={"verify_signature": False})
    assert claims["firebase"]["sign_in_provider"] == ID
    assert claims["firebase"]["identities"][ID] == [person] and claims["email_verified"] is True
    again = finish(identity, provider.consent(*(begun := begin(identity))[:1], person), begun[1])
    assert again["localId"] == signed["localId"] and "isNewUser" not in again


def test_a_sign_in_goes_on_behind_a_restart(certificates, provider, person, tmp_path):
    own = servers.Brasa(tmp_path / "data", "--port", servers.free_port(), development=False, environment=environment(certificates)).start()
    try:
        configure(own, ID, provider.issuer)
        uri, session = begin(Identity(own, PROJECT))
        back = provider.consent(uri, person)
        own.kill()
        own.start()
        assert finish(Identity(own, PROJECT), back, session)["federatedId"] == person
    finally:
        own.kill()


@pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING)
def test_a_sign_in_ends_on_another_node_than_it_began_on(certificates, provider, person, tmp_path):
    made = cluster.Cluster(tmp_path, development=False, environment=environment(certificates)).start()
    try:
        first, second = made.nodes
        configure(first, ID, provider.issuer)
        uri, session = begin(Identity(first, PROJECT))
        assert finish(Identity(second, PROJECT), provider.consent(uri, person), session)["federatedId"] == person
    finally:
        made.close()


def test_a_code_is_of_its_session(identity, provider, person):
    """State, session and PKCE's proof: none of them can be another sign-in's."""
    uri, session = begin(identity)
    other_uri, other = begin(identity)
    back = provider.consent(uri, person)
    refused("INVALID_IDP_RESPONSE", finish, identity, back, other)
    refused("MISSING_SESSION_ID", finish, identity, back, "")
    state, wanted = fields_of(uri)["state"], fields_of(other_uri)["state"]
    stolen = back.replace(urllib.parse.quote(state), urllib.parse.quote(wanted))
    assert stolen != back
    refused("INVALID_IDP_RESPONSE", finish, identity, stolen, other)
    assert provider.refused, "the provider was shown another session's proof and took it"
    finish(identity, back, session)
    refused("INVALID_IDP_RESPONSE", finish, identity, back, session)


def test_scopes_and_parameters_of_the_client(identity, shop):
    """They go beside the server's own, and never in their place."""
    def begun(**more):
        return identity.client("createAuthUri", providerId=ID, continueUri=f"{shop.url}/__/auth/handler", **more)

    made = begun(oauthScope="calendar openid", customParameter={
        "prompt": "consent", "state": "mine", "code_challenge": "mine", "redirect_uri": "https://evil.example/",
    })
    secrets.note(made["sessionId"], "session of a sign-in")
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(made["authUri"]).query)
    assert asked["scope"] == ["openid email profile calendar"] and asked["prompt"] == ["consent"]
    assert "mine" not in asked["state"] + asked["code_challenge"] and asked["redirect_uri"] == [f"{shop.url}/__/auth/handler"]
    for wrong in ({"a": 1}, {"a": "x" * 1_001}, {"x" * 101: "a"}, {str(n): "a" for n in range(21)}):
        with pytest.raises(Refused) as refusal:
            begun(customParameter=wrong)
        assert refusal.value.status == 400


def test_a_code_is_brought_once(identity, provider, person, shop):
    """A session that signed somebody in takes no second code of the provider."""
    uri, session = begin(identity)
    first, second = provider.consent(uri, person), provider.consent(uri, person)
    assert first != second
    finish(identity, first, session)
    assert "finished" in refused("INVALID_IDP_RESPONSE", finish, identity, second, session)


def test_a_person_who_declines(identity, shop):
    _, session = begin(identity)
    back = f"{shop.url}/__/auth/handler?error=access_denied&state=x"
    assert "access_denied" in refused("INVALID_IDP_RESPONSE", finish, identity, back, session)


def test_a_sign_in_leads_back_to_domains_of_the_project_only(identity):
    for uri in ("https://evil.example/cb", "https://localhost.evil.example/", "https://a@evil.example"):
        with pytest.raises(Refused) as refusal:
            identity.client("createAuthUri", providerId=ID, continueUri=uri)
        assert refusal.value.code in ("UNAUTHORIZED_DOMAIN", "INVALID_CONTINUE_URI")


def test_a_token_of_another_client_is_refused(identity, provider, person):
    assert with_token(identity, provider.id_token(person))["federatedId"] == person
    message = refused(
        "INVALID_IDP_RESPONSE", with_token, identity, provider.id_token(person, client="other")
    )
    assert "another client" in message


def test_a_token_of_another_issuer_is_refused(identity, provider, person):
    """The same key signs for another name of the provider: the issuer alone tells them apart."""
    token = provider.id_token(person, host="localhost.elsewhere:443")
    found = jwt.decode(token, options={"verify_signature": False})
    assert found["iss"] != provider.issuer
    assert "issuer" in refused("INVALID_IDP_RESPONSE", with_token, identity, token)


def test_an_issuer_that_is_not_what_it_says_is_refused(identity, provider, person, shop):
    """Discovery at the configured address names another issuer than the configuration."""
    wrong = provider.issuer.replace("localhost", "LOCALHOST")
    configure(shop, "oidc.renamed", wrong)
    refused(
        "INVALID_IDP_RESPONSE", with_token, identity, provider.id_token(person), "oidc.renamed"
    )


def test_a_provider_on_whom_the_authority_does_not_vouch_is_not_asked(identity, shop, tmp_path):
    other = oidc.Provider(certificate_for(["localhost"], tmp_path / "other"))
    try:
        configure(shop, "oidc.unknown", other.issuer)
        refused(
            "INVALID_IDP_RESPONSE", identity.client, "createAuthUri", providerId="oidc.unknown",
            continueUri="http://localhost/",
        )
    finally:
        other.close()


def part(value):
    text = json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def test_a_signature_that_is_wrong_is_refused(identity, provider, person):
    token = provider.id_token(person)
    head, body, signature = token.split(".")
    claims = jwt.decode(token, options={"verify_signature": False})
    keys = provider.session.get(f"{provider.issuer}/jwks", timeout=30).json()["keys"]
    header = jwt.get_unverified_header(token)
    other = oidc.jwt_of_another_key(claims, header)
    forged = {
        "another subject": f"{head}.{part({**claims, 'sub': 'other'})}.{signature}",
        "another key": other,
        "none": f"{part({'alg': 'none'})}.{body}.",
        "no signature": f"{head}.{body}.",
        "the public key as a secret": oidc.symmetric(claims, header, keys[0]),
        "a key beside the token": oidc.jwt_of_another_key(claims, {**header, "jku": "https://evil.example/"}),
    }
    for what, text in forged.items():
        try:
            refused("INVALID_IDP_RESPONSE", with_token, identity, text)
        except BaseException as problem:
            raise AssertionError(what) from problem


def test_a_nonce_must_be_the_tokens(identity, provider, person):
    token = provider.id_token(person, nonce="nonce-of-the-client")
    refused("MISSING_OR_INVALID_NONCE", with_token, identity, token)
    refused("MISSING_OR_INVALID_NONCE", with_token, identity, token, nonce="another")
    with_token(identity, token, nonce="nonce-of-the-client")
    refused(
        "MISSING_OR_INVALID_NONCE", with_token, identity, provider.id_token(person), nonce="any"
    )


def test_an_unverified_address_is_never_linked(identity, provider):
    """Who says at the provider to have somebody's address does not get the account of it."""
    address = "victim@corp.example"
    victim = identity.client("signUp", email=address, password=PASSWORD)
    for claims in ({"email_verified": False}, {}):
        provider.person("claims-much", email=address, **claims)
        answer = with_token(identity, provider.id_token("claims-much"))
        assert answer["needConfirmation"] is True and answer["verifiedProvider"] == ["password"]
        assert "idToken" not in answer and "localId" not in answer and "refreshToken" not in answer
    identity.client("signInWithPassword", email=address, password=PASSWORD)
    [user] = identity.client("lookup", idToken=victim["idToken"])["users"]
    assert [p["providerId"] for p in user["providerUserInfo"]] == ["password"]


def confirmed(identity, provider, subject):
    """A person whose address has an account with a password already: what the code flow says, and the account."""
    address = f"{subject}@corp.example"
    made = identity.client("signUp", email=address, password=PASSWORD)
    provider.person(subject, email=address, email_verified=False, name="Bia Corp")
    uri, session = begin(identity)
    answer = finish(identity, provider.consent(uri, subject), session, returnIdpCredential=True)
    assert answer["needConfirmation"] is True and answer["verifiedProvider"] == ["password"] and answer["providerId"] == ID
    assert "idToken" not in answer and "refreshToken" not in answer
    secrets.note(answer["pendingToken"], "pending token")
    return answer, identity.client("signInWithPassword", email=address, password=PASSWORD), made["localId"]


def pending(identity, token, **more):
    return identity.client("signInWithIdp", requestUri="http://localhost", pendingToken=token, returnSecureToken=True, **more)


def providers_of(identity, session):
    [user] = identity.client("lookup", idToken=session["idToken"])["users"]
    return sorted(one["providerId"] for one in user["providerUserInfo"])


def test_an_account_with_another_credential_is_linked_by_the_pending_token(identity, provider):
    answer, owner, uid = confirmed(identity, provider, "pending-1")
    linked = pending(identity, answer["pendingToken"], idToken=owner["idToken"], returnIdpCredential=True)
    assert linked["localId"] == uid and linked["providerId"] == ID and linked["oauthIdToken"] == answer["oauthIdToken"]
    assert providers_of(identity, linked) == [ID, "password"]
    uri, session = begin(identity)
    assert finish(identity, provider.consent(uri, "pending-1"), session)["localId"] == uid
    # The word of the provider holds for another sign-in too, as a token of the provider does, and links nobody else.
    assert pending(identity, answer["pendingToken"])["localId"] == uid
    other = identity.client("signUp", email="pending-other@corp.example", password=PASSWORD)
    refused("FEDERATED_USER_ID_ALREADY_LINKED", pending, identity, answer["pendingToken"], idToken=other["idToken"])


def test_an_account_with_another_credential_is_linked_by_the_providers_token(identity, provider):
    """`GoogleAuthProvider.credentialFromError` has the ID token of the code flow, and not the nonce in it."""
    answer, owner, uid = confirmed(identity, provider, "pending-2")
    linked = with_token(identity, answer["oauthIdToken"], idToken=owner["idToken"])
    assert linked["localId"] == uid and providers_of(identity, linked) == [ID, "password"]


def another_beginning(text):
    """The text with another first character."""
    return ("B" if text[0] == "A" else "A") + text[1:]


def test_the_nonce_of_a_code_is_this_servers(identity, provider, person):
    uri, session = begin(identity)
    nonce = fields_of(uri)["nonce"]
    made = finish(identity, provider.consent(uri, person), session, returnIdpCredential=True)
    secrets.note(made["pendingToken"], "pending token")
    assert with_token(identity, made["oauthIdToken"])["localId"] == made["localId"]
    assert len(nonce) == 65
    for other in (nonce[:-1], "x" * 65, nonce[:22] + "x" * 43, another_beginning(nonce)):
        refused("MISSING_OR_INVALID_NONCE", with_token, identity, provider.id_token(person, nonce=other))
    refused("MISSING_OR_INVALID_NONCE", with_token, identity, made["oauthIdToken"], nonce="another")


def test_a_pending_token_is_of_its_project_and_provider(identity, provider, shop):
    configure(shop, "oidc.moving", provider.issuer)
    provider.person("pending-3", email="pending-3@corp.example", email_verified=True)
    uri, session = begin(identity, "oidc.moving")
    made = finish(identity, provider.consent(uri, "pending-3"), session, "oidc.moving", returnIdpCredential=True)
    token = secrets.note(made["pendingToken"], "pending token")
    assert pending(identity, token)["localId"] == made["localId"]
    for wrong in (token[:-2], another_beginning(token), token + "AAAA", "x", "x" * 70_000):
        refused("INVALID_IDP_RESPONSE", pending, identity, wrong)

    def change(**fields):
        mask = ",".join(fields)
        identity.admin(f"/oauthIdpConfigs/oidc.moving?updateMask={mask}", verb="PATCH", version="v2", token=shop.administrator_key, **fields)

    change(enabled=False)
    refused("OPERATION_NOT_ALLOWED", pending, identity, token)
    change(enabled=True, clientId="another")
    refused("INVALID_IDP_RESPONSE", pending, identity, token)
    change(clientId="web")
    assert pending(identity, token)["localId"] == made["localId"]
    identity.admin("/oauthIdpConfigs/oidc.moving", verb="DELETE", version="v2", token=shop.administrator_key)
    refused("OPERATION_NOT_ALLOWED", pending, identity, token)


def test_a_verified_address_takes_the_account_from_who_made_it_before(identity, provider, person):
    address = f"{person}@corp.example"
    hijacker = identity.client("signUp", email=address, password=PASSWORD)
    owner = with_token(identity, provider.id_token(person))
    assert owner["localId"] == hijacker["localId"] and owner["emailVerified"] is True
    refused("INVALID_LOGIN_CREDENTIALS", identity.client, "signInWithPassword",
            email=address, password=PASSWORD)
    refused("TOKEN_EXPIRED", identity.client, "lookup", idToken=hijacker["idToken"])
    refused("TOKEN_EXPIRED", identity.refresh, hijacker["refreshToken"])


def test_linking_and_unlinking(identity, provider, person):
    ana = identity.client("signUp", email=f"own-{person}@shop.example", password=PASSWORD)
    linked = with_token(identity, provider.id_token(person), idToken=ana["idToken"])
    assert linked["localId"] == ana["localId"]
    assert with_token(identity, provider.id_token(person))["localId"] == ana["localId"]
    bia = identity.client("signUp", email=f"bia-{person}@shop.example", password=PASSWORD)
    refused("FEDERATED_USER_ID_ALREADY_LINKED", with_token, identity, provider.id_token(person),
            idToken=bia["idToken"])
    answer = with_token(identity, provider.id_token(person), idToken=bia["idToken"],
                        returnIdpCredential=True)
    assert answer["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED" and "idToken" not in answer
    identity.client("update", idToken=linked["idToken"], deleteProvider=[ID])
    fresh = with_token(identity, provider.id_token(person))
    assert fresh["localId"] != ana["localId"] and fresh["isNewUser"] is True


def test_a_provider_that_is_not_enabled_or_not_there(identity, provider, person, shop):
    configure(shop, "oidc.off", provider.issuer)
    identity.admin("/oauthIdpConfigs/oidc.off?updateMask=enabled", verb="PATCH", version="v2",
                   token=shop.administrator_key, enabled=False)
    token = provider.id_token(person)
    refused("OPERATION_NOT_ALLOWED", with_token, identity, token, "oidc.off")
    refused("OPERATION_NOT_ALLOWED", with_token, identity, token, "oidc.nowhere")
    refused("OPERATION_NOT_ALLOWED", with_token, identity, json.dumps({"sub": "x"}), "google.com")


def test_providers_inside_the_network_are_not_asked_by_default(provider, certificates, tmp_path):
    server = servers.Brasa(
        tmp_path / "data", development=False,
        environment={
            "BRASA_PROJECT": PROJECT, "BRASA_OUTBOUND_CA": str(certificates / "authority.pem"),
        },
    ).start()
    try:
        configure(server, ID, provider.issuer)
        refused("INVALID_IDP_RESPONSE", begin, Identity(server, PROJECT))
    finally:
        assert server.stop() == 0

"""Letters in production, handed to a mail server that we did not write: aiosmtpd with STARTTLS."""

import urllib.parse

import pytest
import requests

from support import mail as mails, server as servers
from support.certificates import certificate_for
from support.identity import Identity, Refused, code_of

pytestmark = pytest.mark.brasa_only

PASSWORD = "correct horse 7"
PROJECT = "shop-emails"
ORIGIN = "https://shop.example"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return certificate_for(["localhost"], tmp_path_factory.mktemp("mail"))


@pytest.fixture(scope="module")
def post(certificates):
    """The mail server."""
    made = mails.MailServer(certificates)
    yield made
    made.close()


@pytest.fixture
def working(post, certificates):
    """The mail server as it should be, whatever a test makes of it."""
    post.certificate, post.is_up, post.takes_login = certificates, True, True
    return post


def start(directory, post, authority):
    return servers.Brasa(
        directory, "--origin", ORIGIN, "--log-level", "trace", development=False,
        environment=mails.environment(post, authority, BRASA_PROJECT=PROJECT),
    ).start()


@pytest.fixture(scope="module")
def shop(post, certificates, tmp_path_factory):
    made = start(tmp_path_factory.mktemp("emails") / "data", post, certificates / "authority.pem")
    yield made
    code = made.stop()
    assert code == 0, made.output[-4000:]


@pytest.fixture
def identity(shop):
    return Identity(shop, PROJECT)


numbers = iter(range(1_000))


@pytest.fixture
def ana(shop, identity):
    """Somebody new, who has no password yet: hashing takes long in a debug build."""
    return made(shop, identity, f"ana{next(numbers)}@customer.example")


def made(server, identity, address):
    return identity.admin("/accounts", token=server.administrator_key, email=address)


@pytest.fixture
def bia(identity):
    """Somebody new who signed up."""
    address = f"bia{next(numbers)}@customer.example"
    return identity.client("signUp", email=address, password=PASSWORD)


def fields_of(link):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))


def test_a_letter_comes_over_tls_with_a_login(identity, ana, working):
    identity.client("sendOobCode", requestType="PASSWORD_RESET", email=ana["email"])
    email = working.wait_for(ana["email"])
    assert email.is_encrypted and email.login == mails.USER
    assert email.sender == "no-reply@shop.example"
    assert str(email.message["From"]) == "Loja da Ana <no-reply@shop.example>"
    assert str(email.message["To"]) == f"<{ana['email']}>" or str(email.message["To"]) == ana["email"]
    assert email.message["Subject"] == f"Reset your password for {PROJECT}"
    assert email.message["Auto-Submitted"] == "auto-generated"
    assert email.link.startswith(f"{ORIGIN}/__/auth/action?")
    assert email.link.replace("&", "&amp;") in email.html
    fields = fields_of(email.link)
    assert fields["mode"] == "resetPassword" and fields["apiKey"] == PROJECT and fields["lang"] == "en"
    identity.client("resetPassword", oobCode=fields["oobCode"], newPassword="by the email 1")
    identity.client("signInWithPassword", email=ana["email"], password="by the email 1")


def test_a_letter_of_verification_in_portuguese(identity, bia, working):
    identity.session.headers["X-Firebase-Locale"] = "pt-BR"
    identity.client("sendOobCode", requestType="VERIFY_EMAIL", idToken=bia["idToken"])
    email = working.wait_for(bia["email"])
    assert email.message["Subject"] == f"Confirme seu e-mail em {PROJECT}"
    assert "Olá" in email.text and fields_of(email.link)["lang"] == "pt-BR"
    answer = identity.client("update", oobCode=code_of(email.link))
    assert answer["emailVerified"] is True


def test_a_change_of_address_does_not_tell_whose_an_address_is(shop, identity, bia, working):
    """Also where no email can go: what is before the @ has more bytes than a mail server takes."""
    taken, free = (f"{letter * 70}{next(numbers)}@customer.example" for letter in "ab")
    made(shop, identity, taken)
    answers = [
        identity.client("sendOobCode", requestType="VERIFY_AND_CHANGE_EMAIL", idToken=bia["idToken"], newEmail=address)
        for address in (taken, free)
    ]
    assert answers[0] == answers[1]


def attempts_failed(shop, since):
    return [line for line in shop.lines[since:] if "an email was not delivered" in line]


@pytest.mark.parametrize("step", ["greeting", "message"])
def test_a_response_does_not_wait_for_a_slow_mail_server(shop, identity, working, step):
    """If it did, the time of a response would reveal which addresses have accounts."""
    # More than the queue delivers at the same time.
    known = [f"known{next(numbers)}@slow.example" for _ in range(9)]
    unknown = f"unknown{next(numbers)}@slow.example"
    for address in known:
        made(shop, identity, address)
    before = len(shop.lines)
    with working.held(step):
        for address in (*known, unknown):
            answer = identity.client("sendOobCode", requestType="PASSWORD_RESET", email=address)
            assert answer == {"kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": address}
        # No attempt has failed meanwhile, so no response came only after a timeout.
        assert attempts_failed(shop, before) == []
        working.wait_until_held(8)
        assert not any(working.to(address) for address in known)
    for address in known:
        working.wait_for(address)
    assert working.to(unknown) == []


def test_no_kind_of_email_delays_its_response(shop, identity, bia, working):
    identity.admin("/config", verb="PATCH", version="v2", token=shop.administrator_key,
                   signIn={"email": {"enabled": True, "passwordRequired": False}})
    identity.client("sendOobCode", requestType="VERIFY_EMAIL", idToken=bia["idToken"])
    identity.client("update", oobCode=code_of(working.wait_for(bia["email"]).link))
    session = identity.client("signInWithPassword", email=bia["email"], password=PASSWORD)
    moved, free, guest = (bia["email"].replace("bia", name) for name in ("moved", "free", "guest"))
    change = {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": session["idToken"]}
    identity.client("sendOobCode", newEmail=moved, **change)
    change_code = code_of(working.wait_for(moved).link)
    before = len(shop.lines)
    with working.held("greeting"):
        answers = [
            identity.client("sendOobCode", requestType="EMAIL_SIGNIN", email=address, continueUrl=ORIGIN)
            for address in (bia["email"], guest)
        ]
        assert answers[0] == {**answers[1], "email": bia["email"]}
        taken = made(shop, identity, f"taken{next(numbers)}@slow.example")["email"]
        assert len({str(identity.client("sendOobCode", newEmail=address, **change)) for address in (taken, free)}) == 1
        identity.client("sendOobCode", requestType="VERIFY_EMAIL", idToken=session["idToken"])
        # The old address is told of the change.
        assert identity.client("update", oobCode=change_code)["email"] == moved
        assert attempts_failed(shop, before) == []
        working.wait_until_held(5)
    for address, count in ((bia["email"], 4), (guest, 1), (free, 1)):
        working.wait_for(address, count)
    assert working.to(taken) == []


def test_a_change_of_address_is_told_to_the_old_one(identity, bia, working):
    def letter_about(kind, address, **body):
        identity.client("sendOobCode", requestType=kind, **body)
        return code_of(working.wait_for(address).link)

    old, new = bia["email"], bia["email"].replace("bia", "new")
    change = letter_about("VERIFY_AND_CHANGE_EMAIL", new, idToken=bia["idToken"], newEmail=new)
    identity.client("update", oobCode=change)
    # The address had not been verified: it may be somebody else's, who gets no key to the account.
    session = identity.client("signInWithPassword", email=new, password=PASSWORD)
    assert working.to(old) == []

    third = new.replace("new", "third")
    change = letter_about("VERIFY_AND_CHANGE_EMAIL", third, idToken=session["idToken"], newEmail=third)
    identity.client("update", oobCode=change)
    email = working.wait_for(new, count=2)
    assert fields_of(email.link)["mode"] == "recoverEmail" and third in email.text
    looked = identity.client("resetPassword", oobCode=code_of(email.link))
    assert (looked["email"], looked["newEmail"], looked["requestType"]) == (new, third, "RECOVER_EMAIL")
    session = identity.client("signInWithPassword", email=third, password=PASSWORD)
    answer = identity.client("update", oobCode=code_of(email.link))
    assert (answer["email"], answer["emailVerified"]) == (new, True)
    for call in (
        lambda: identity.client("lookup", idToken=session["idToken"]),
        lambda: identity.refresh(session["refreshToken"]),
    ):
        with pytest.raises(Refused, match="TOKEN_EXPIRED"):
            call()
    with pytest.raises(Refused, match="INVALID_OOB_CODE"):
        identity.client("update", oobCode=code_of(email.link))


def test_no_link_follows_a_forged_host(identity, ana, working):
    evil = {
        "Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http",
        "Forwarded": "host=evil.example", "X-Original-Host": "evil.example",
        "X-Host": "evil.example", "Origin": "https://evil.example", "Referer": "https://evil.example/",
    }
    for count, header in enumerate(evil, start=1):
        body = {"requestType": "PASSWORD_RESET", "email": ana["email"]}
        if count > 4:
            break
        answer = requests.post(
            f"{identity.base}/v1/accounts:sendOobCode?key={PROJECT}", json=body, headers=evil, timeout=30
        )
        assert answer.status_code == 200, answer.text
        email = working.wait_for(ana["email"], count)
        assert email.link.startswith(f"{ORIGIN}/__/auth/action?"), header
        assert "evil" not in email.text + email.html
    # An absolute request target names a host too.
    import http.client
    raw = http.client.HTTPConnection("127.0.0.1", int(identity.base.rsplit(":", 1)[1]), timeout=30)
    raw.request(
        "POST", f"http://evil.example/v1/accounts:sendOobCode?key={PROJECT}",
        '{"requestType": "PASSWORD_RESET", "email": "%s"}' % ana["email"],
        {"Content-Type": "application/json", "Host": "evil.example"},
    )
    if raw.getresponse().status == 200:
        email = working.wait_for(ana["email"], 5)
        assert email.link.startswith(f"{ORIGIN}/__/auth/action?")


def test_an_email_goes_to_the_address_of_the_account_not_to_its_lookalike(shop, identity, working):
    """A Kelvin sign becomes a k in lower case; the email must not go to who owns the other spelling."""
    address = "mike@kilo.example"
    made(shop, identity, address)
    answer = identity.client(
        "sendOobCode", requestType="PASSWORD_RESET", email="mi\u212ae@\u212ailo.example"
    )
    assert answer["email"] == address
    email = working.wait_for(address)
    assert email.recipients == [address]


def test_nothing_is_said_to_a_server_without_tls(identity, shop, ana, working):
    working.certificate = None
    logins = len(working.logins)
    identity.client("sendOobCode", requestType="PASSWORD_RESET", email=ana["email"])
    line = mails.wait_for_line(shop, "will be retried", "offers no TLS")
    assert " WARN" in line and "customer.example" in line and "ana" not in line
    assert working.to(ana["email"]) == [] and len(working.logins) == logins


@pytest.mark.parametrize("names", [["localhost"], ["other.example"]], ids=["authority", "name"])
def test_a_certificate_that_is_wrong_is_refused(identity, shop, ana, working, tmp_path, names, request):
    authority = request.getfixturevalue("certificates")
    wrong = certificate_for(names, tmp_path / "wrong")
    if names != ["localhost"]:
        # Of the right authority for another name would need its key: an own server trusts this one.
        authority = wrong
        shop = start(tmp_path / "data", working, authority / "authority.pem")
        identity = Identity(shop, PROJECT)
        ana = made(shop, identity, "x@customer.example")
    working.certificate = wrong
    logins = len(working.logins)
    try:
        identity.client("sendOobCode", requestType="PASSWORD_RESET", email=ana["email"])
        mails.wait_for_line(shop, "will be retried", "connection to the mail server failed")
        assert working.to(ana["email"]) == [] and len(working.logins) == logins
    finally:
        if names != ["localhost"]:
            assert shop.stop() == 0
            assert "an email was not delivered and will not be retried" in shop.output


def test_a_login_that_is_refused(identity, shop, ana, working):
    working.takes_login = False
    identity.client("sendOobCode", requestType="PASSWORD_RESET", email=ana["email"])
    mails.wait_for_line(shop, "will be retried", "535 to AUTH")
    assert working.to(ana["email"]) == []
    assert all(is_encrypted for is_encrypted, _ in working.logins)


def test_a_server_that_is_down_gets_the_letter_when_it_is_back(identity, shop, ana, working):
    working.is_up = False
    before = len(shop.lines)
    identity.client("sendOobCode", requestType="PASSWORD_RESET", email=ana["email"])
    servers.wait_for(
        lambda: any("will be retried" in line for line in shop.lines[before:]), "a failed attempt"
    )
    working.is_up = True
    working.wait_for(ana["email"])


def test_a_stop_tries_once_more_and_says_what_is_lost(working, certificates, tmp_path):
    server = start(tmp_path / "data", working, certificates / "authority.pem")
    identity = Identity(server, PROJECT)
    for name in ("lost@customer.example", "saved@customer.example"):
        made(server, identity, name)
    working.is_up = False
    identity.client("sendOobCode", requestType="PASSWORD_RESET", email="saved@customer.example")
    mails.wait_for_line(server, "will be retried")
    working.is_up = True
    assert server.stop() == 0
    working.wait_for("saved@customer.example")
    assert "an email was not delivered and will not be retried" not in server.output
    working.is_up = False
    server.start()
    identity = Identity(server, PROJECT)
    identity.client("sendOobCode", requestType="PASSWORD_RESET", email="lost@customer.example")
    mails.wait_for_line(server, "will be retried")
    assert server.stop() == 0
    line = mails.wait_for_line(server, "an email was not delivered and will not be retried", "customer.example")
    assert " ERROR" in line and "lost@" not in line


def test_without_a_port_in_the_origin_the_bound_one_counts(working, certificates, tmp_path):
    server = servers.Brasa(
        tmp_path / "data", development=False,
        environment=mails.environment(working, certificates / "authority.pem", BRASA_PROJECT=PROJECT),
    ).start()
    try:
        identity = Identity(server, PROJECT)
        made(server, identity, "port@customer.example")
        identity.client("sendOobCode", requestType="PASSWORD_RESET", email="port@customer.example")
        assert working.wait_for("port@customer.example").link.startswith(f"{server.url}/__/auth/action?")
        key_file = servers.run(
            "keys", "create", "backend", "--role", "admin", "--project", PROJECT, "--data", server.data
        )
        assert f'"{server.url}/token"' in key_file.stdout
    finally:
        assert server.stop() == 0

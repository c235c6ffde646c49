"""Who signed in over REST reaches own products and no others, until the session ends: over Google's
client, over REST and in an open listener; in development and in production over TLS."""

import pytest
from google.api_core.exceptions import PermissionDenied, Unauthenticated
from google.cloud import firestore

from support import rules, server as servers
from support.certificates import certificate_for
from support.identity import Identity, Refused
from support.people import Person

pytestmark = pytest.mark.brasa_only

PASSWORD = "correct horse 7"
PROJECT = "shop-sessions"


class Deployment:
    """A server that a test runs on, with the seed's rules in force."""

    def __init__(self, server, project, administrator, authority=None):
        self.server, self.project, self.authority = server, project, authority
        self.administrator = administrator
        name = "localhost" if authority else "127.0.0.1"
        self.host = f"{name}:{server.port}"
        self.url = f"{server.scheme}://{self.host}"
        verify = str(authority) if authority else True
        self.identity = Identity(server, project, verify=verify, url=self.url)
        rules.RulesAPI(self.url, project, administrator, verify).deploy(rules.PRODUCTS)
        self.identity.admin(
            "/config?updateMask=signIn.anonymous.enabled", verb="PATCH", version="v2",
            token=administrator, signIn={"anonymous": {"enabled": True}},
        )

    def admin(self, name, **body):
        return self.identity.admin(name, token=self.administrator, **body)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return certificate_for(["localhost"], tmp_path_factory.mktemp("sessions"))


@pytest.fixture(scope="module")
def production(certificates, tmp_path_factory):
    """Starts production servers over TLS, each once."""
    running = {}

    def start(*arguments):
        if arguments not in running:
            server = servers.Brasa(
                tmp_path_factory.mktemp("production") / "data", "--tls-certificate",
                certificates / "server.pem", "--tls-key", certificates / "server-key.pem",
                *arguments, development=False, environment={"BRASA_PROJECT": PROJECT},
            ).start()
            running[arguments] = Deployment(
                server, PROJECT, server.administrator_key, certificates / "authority.pem"
            )
        return running[arguments]

    yield start
    for deployment in running.values():
        assert deployment.server.stop() == 0, deployment.server.output[-4000:]


@pytest.fixture(params=["development", "production"])
def deployment(request):
    if request.param == "production":
        return request.getfixturevalue("production")()
    server = request.getfixturevalue("server")
    return Deployment(server, request.getfixturevalue("project"), "owner")


numbers = iter(range(1_000))


@pytest.fixture
def people():
    """Makes people who signed up."""
    made = []

    def sign_up(deployment, password=None):
        made.append(Person(deployment, password and f"person{next(numbers)}@shop.example", password))
        return made[-1]

    yield sign_up
    for person in made:
        person.close()


def product(person, name="Lamp"):
    return {"userId": person.uid, "name": name, "description": "d", "code": "C", "price": 9.5}


def own(client, uid):
    return client.collection("products").where(filter=firestore.FieldFilter("userId", "==", uid))


def test_who_signed_in_reaches_own_products_and_no_others(deployment, people):
    ana, bob = people(deployment, PASSWORD), people(deployment, PASSWORD)
    for person in (ana, bob):
        person.client().document(f"products/of-{person.uid}").set(product(person))
    client = ana.client()
    mine, his = f"products/of-{ana.uid}", f"products/of-{bob.uid}"
    assert client.document(mine).get().get("name") == "Lamp"
    client.document(mine).update({"price": 11})
    assert [s.id for s in own(client, ana.uid).stream()] == [f"of-{ana.uid}"]
    for attempt in (
        lambda: client.document(his).get(),
        lambda: client.document(his).update({"price": 0}),
        lambda: client.document(his).delete(),
        lambda: list(own(client, bob.uid).stream(retry=None)),
        lambda: list(client.collection("products").stream(retry=None)),
        lambda: own(client, bob.uid).count().get(retry=None),
        lambda: client.document(f"products/for-{bob.uid}").create(product(bob)),
        lambda: client.document(mine).update({"userId": bob.uid}),
    ):
        with pytest.raises(PermissionDenied):
            attempt()
    http = ana.rest()
    assert http.documents("GET", mine)["fields"]["name"]["stringValue"] == "Lamp"
    for verb in ("GET", "PATCH", "DELETE"):
        http.refused(verb, http.name(his), 403, json={"fields": {}} if verb == "PATCH" else None)
    stream = ana.listen()
    assert stream.ids(2) == [f"of-{ana.uid}"]
    bob.client().document(his).update({"price": 12})
    ana.client().document(f"products/more-{ana.uid}").set(product(ana))
    stream.until_held(2, [f"of-{ana.uid}", f"more-{ana.uid}"])


def test_a_refresh_goes_on_with_the_same_right(deployment, people):
    ana = people(deployment)
    ana.client().document(f"products/of-{ana.uid}").set(product(ana))
    before, first = ana.uid, ana.token
    ana.take(deployment.identity.refresh(ana.refresh_token))
    assert ana.uid == before
    assert ana.client().document(f"products/of-{ana.uid}").get().exists
    ana.token = first
    assert ana.rest().documents("GET", f"products/of-{before}")


def revocation(deployment, ana):
    deployment.admin("/accounts:update", localId=ana.uid, validSince="0")


def deletion(deployment, ana):
    deployment.identity.client("delete", idToken=ana.token)


def deletion_by_an_administrator(deployment, ana):
    deployment.admin("/accounts:batchDelete", localIds=[ana.uid], force=True)


def another_password(deployment, ana):
    deployment.identity.client("update", idToken=ana.token, password="another one 88")


def disabling(deployment, ana):
    deployment.admin("/accounts:update", localId=ana.uid, disableUser=True)


ENDS = {
    revocation: "TOKEN_EXPIRED", deletion: "USER_NOT_FOUND",
    deletion_by_an_administrator: "USER_NOT_FOUND", another_password: "TOKEN_EXPIRED",
    disabling: "USER_DISABLED",
}


NEEDS_PASSWORD = {revocation: PASSWORD, another_password: PASSWORD}


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_access_ends_at_once(deployment, people, end):
    ana, bob = people(deployment, NEEDS_PASSWORD.get(end)), people(deployment)
    path = f"products/of-{ana.uid}"
    ana.client().document(path).set(product(ana))
    client, http, stream, other = ana.client(), ana.rest(), ana.listen(), bob.listen()
    assert client.document(path).get().exists and http.documents("GET", path)
    end(deployment, ana)
    with pytest.raises(Unauthenticated):
        client.document(path).get(retry=None)
    with pytest.raises(Unauthenticated):
        client.document(path).update({"price": 1}, retry=None)
    http.refused("GET", http.name(path), 401)
    stream.until(lambda: stream.status or stream.targets[2].cause)
    code = stream.targets[2].cause.code if stream.targets[2].cause else stream.status[0]
    assert code in (16, "UNAUTHENTICATED"), code
    with pytest.raises(Refused) as refusal:
        deployment.identity.client("lookup", idToken=ana.token)
    assert refusal.value.code == ENDS[end]
    # Google's web client signs out at these codes and no others: its listener asks for no further token.
    with pytest.raises(Refused) as refusal:
        deployment.identity.refresh(ana.refresh_token)
    assert refusal.value.code == ("USER_DISABLED" if end is disabling else "TOKEN_EXPIRED")
    # Nobody else lost anything.
    bob.client().document(f"products/of-{bob.uid}").set(product(bob))
    other.until_held(2, [f"of-{bob.uid}"])
    if end is revocation:
        assert ana.sign_in().client().document(path).get().exists


def test_who_is_deleted_and_comes_back_under_the_same_uid_has_only_new_rights(deployment, people):
    ana = people(deployment)
    old = ana.token
    deployment.admin("/accounts:delete", localId=ana.uid)
    ana.email, ana.password = f"back-{ana.uid}@shop.example".lower(), PASSWORD
    deployment.admin("/accounts", localId=ana.uid, email=ana.email, password=PASSWORD)
    ana.sign_in()
    ana.client().document(f"products/of-{ana.uid}").set(product(ana))
    stream = ana.listen()
    stream.until_held(2, [f"of-{ana.uid}"])
    ana.token = old
    with pytest.raises(Unauthenticated):
        ana.client().document(f"products/of-{ana.uid}").get(retry=None)


def test_lazy_revocation_lets_a_token_live_out_its_hour(production, people):
    deployment = production("--revocation", "lazy")
    for end in (revocation, deletion, another_password, disabling):
        ana = people(deployment, NEEDS_PASSWORD.get(end) if end is another_password else None)
        path = f"products/of-{ana.uid}"
        ana.client().document(path).set(product(ana))
        stream = ana.listen()
        end(deployment, ana)
        assert ana.client().document(path).get().exists, end
        ana.rest().documents("GET", path)
        ana.client().document(path).update({"price": 7.5})
        stream.until(
            lambda stream=stream: [
                d.fields["price"].double_value for d in stream.targets[2].consistent.values()
            ] == [7.5]
        )
        with pytest.raises(Refused):
            deployment.identity.refresh(ana.refresh_token)
        with pytest.raises(Refused):
            deployment.identity.client("lookup", idToken=ana.token)


def test_a_rotation_of_the_signing_keys(production, people):
    """With overlap nobody notices; at once, every token ends, and refresh tokens give new ones."""
    deployment = production()
    ana = people(deployment)
    path = f"products/of-{ana.uid}"
    ana.client().document(path).set(product(ana))
    stream = ana.listen()
    servers.run("keys", "rotate", "--data", deployment.server.data)
    keys = deployment.identity.session.get(
        f"{deployment.url}/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", timeout=30
    ).json()["keys"]
    assert len(keys) == 2 and ana.client().document(path).get().exists
    servers.run("keys", "rotate", "--immediately", "--data", deployment.server.data)
    with pytest.raises(Unauthenticated):
        ana.client().document(path).get(retry=None)
    stream.until(lambda: stream.status or stream.targets[2].cause)
    ana.take(deployment.identity.refresh(ana.refresh_token))
    assert ana.client().document(path).get().exists

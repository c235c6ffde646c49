"""Users who sign up, in and out of the rules' reach, and rules that are deployed meanwhile."""

import itertools
import random

import google.api_core.exceptions

from soak.world import CALL_SECONDS
from support import rules, secrets
from support.addresses import From
from support.identity import Refused

RULES = """\
match /notes/{{id}} {{
  allow create: if request.auth != null && request.resource.data.userId == request.auth.uid;
  allow read, delete: if request.auth != null && resource.data.userId == request.auth.uid;
}}
match /probes/{{id}} {{ allow get: if id == 'version-{version}'; }}
"""
PAUSE_SECONDS = 0.5
PASSWORD = "correct horse 7"


class AccountWorker:
    """Users: sign-up, sign-in, refresh, changes, deletion; and what the rules let each do with notes."""

    def __init__(self, world):
        self.world = world
        self.chooser = random.Random(f"{world.seed} accounts")
        self.numbers = itertools.count(1)
        # Email and refresh token of users who are there for certain.
        self.users = {}

    def run(self, stop):
        self.identity = self.world.identity()
        while not stop.is_set():
            if len(self.users) < 5:
                self.sign_up()
            else:
                self.chooser.choice((self.sign_in, self.refresh, self.rename, self.remove))()
            stop.wait(PAUSE_SECONDS)

    def sign_up(self):
        number = next(self.numbers)
        # One address may make 100 accounts an hour.
        self.identity.session.mount("https://", From(f"127.6.{number >> 8 & 255}.{number & 255}"))
        email = f"user{number}-{self.chooser.getrandbits(32):08x}@example.com"
        session = self.world.attempt("signUp", lambda: self.identity.client(
            "signUp", email=email, password=PASSWORD, returnSecureToken=True))
        self.users[email] = session
        self.write_note(session)

    def sign_in(self, email=None):
        email = email or self.chooser.choice(list(self.users))
        session = self.world.attempt("signInWithPassword", lambda: self.identity.client(
            "signInWithPassword", email=email, password=PASSWORD, returnSecureToken=True))
        assert session["localId"] == self.users[email]["localId"]
        self.users[email] = session
        self.write_note(session)
        return session

    def refresh(self):
        email = self.chooser.choice(list(self.users))
        session = self.users[email]
        found = self.world.attempt("refresh", lambda: self.identity.refresh(session["refreshToken"]))
        assert found["user_id"] == session["localId"]
        self.users[email] = session | {"idToken": found["id_token"], "refreshToken": found["refresh_token"]}
        self.write_note(self.users[email])

    def rename(self):
        email = self.chooser.choice(list(self.users))
        session = self.users[email]
        name = f"Name {self.chooser.getrandbits(16)}"
        self.world.attempt("update", lambda: self.identity.client(
            "update", idToken=session["idToken"], displayName=name))
        found = self.world.attempt("lookup", lambda: self.identity.client("lookup", idToken=session["idToken"]))
        assert found["users"][0]["displayName"] == name and found["users"][0]["email"] == email

    def remove(self):
        """Deletes a user, whose token is good for nothing from then on."""
        email = self.chooser.choice(list(self.users))
        session = self.sign_in(email)
        del self.users[email]
        self.world.attempt("delete account", lambda: self.identity.client("delete", idToken=session["idToken"]))
        self.world.attempt("lookup", lambda: self.refused(session))

    def refused(self, session):
        try:
            self.identity.client("lookup", idToken=session["idToken"])
        except Refused:
            return
        raise AssertionError("a deleted user's token is good")

    def write_note(self, session):
        """A note of the user's own, which the rules allow; another's they do not."""
        client = self.world.client(secrets.note(session["idToken"], "token"))
        uid = session["localId"]
        note = client.document(f"notes/{self.chooser.getrandbits(64):016x}")
        try:
            self.world.attempt("note", lambda: note.create({"userId": uid, "n": 1}, retry=None, timeout=CALL_SECONDS))
            self.world.attempt("note", lambda: note.get(timeout=CALL_SECONDS))
            self.world.attempt("denial", lambda: self.denied(client, "someone-else"))
            self.world.attempt("note", lambda: note.delete(retry=None, timeout=CALL_SECONDS))
        finally:
            client.close()

    def denied(self, client, uid):
        try:
            client.collection("notes").document().create({"userId": uid}, retry=None, timeout=CALL_SECONDS)
        except google.api_core.exceptions.PermissionDenied:
            return
        raise AssertionError("a note of somebody else's was written")


class RulesWorker:
    """Deploys rules again and again; each deployment counts for the next request."""

    def __init__(self, world):
        self.world = world
        self.versions = itertools.count(1)
        # Versions that may be in force.
        self.possible = [0]

    def run(self, stop):
        anonymous, deploy = self.world.rest(None), self.world.rules().deploy
        self.look(anonymous)
        while not stop.is_set():
            version = next(self.versions)
            self.possible.append(version)
            self.world.attempt("deploy rules", lambda: deploy(rules.service(RULES.format(version=version))))
            self.possible = [version]
            self.look(anonymous)
            stop.wait(PAUSE_SECONDS)

    def look(self, anonymous):
        """Which version is in force: only that one's probe may be read, and it is missing."""
        path = f"{self.world.database}/documents/probes/version-"
        # A missing document that one may read is NOT_FOUND, others are denied.
        in_force = [version for version in self.possible if self.is_allowed(anonymous, f"{path}{version}")]
        assert len(in_force) == 1, f"in force of {self.possible}: {in_force}"
        assert not self.is_allowed(anonymous, f"{path}none")
        self.possible = in_force

    def is_allowed(self, anonymous, path):
        answer = self.world.attempt("probe", lambda: anonymous.request("GET", path))
        assert answer.status_code in (403, 404), answer.text
        return answer.status_code == 404

"""Attacks on accounts and on the queue of their passwords."""

import itertools
import urllib.parse

from attacks.exchange import Exchange


class SignUpFlood(Exchange):
    """Sign-ups of new accounts from many networks, while people sign in, from known addresses and from new ones."""

    links = 100
    # Handshakes are another attack's.
    opening_rate = 50
    addresses = 50
    has_networks = True
    seconds = 20
    signs_in = True
    moves = True

    def script(self, number):
        for attempt in itertools.count():
            yield from self.sign_up(f"new-{number}-{attempt}")

    @classmethod
    def complaints(cls, traffic, victim):
        return [] if traffic["responses"].get("sign-up 200") else ["no sign-up was taken"]


class PasswordStorm(Exchange):
    """Wrong passwords for one account, from many networks, while its owner signs in from a known address."""

    links = 100
    opening_rate = 50
    addresses = 50
    has_networks = True
    seconds = 20
    signs_in = True

    def script(self, number):
        for attempt in itertools.count():
            request = self.account_call(
                "signInWithPassword", email="honest@example.com", password=f"wrong horse {number}-{attempt}",
                returnSecureToken=True,
            )
            yield from self.ask("guess", request)

    @classmethod
    def complaints(cls, traffic, victim):
        guesses = sum(traffic["responses"].values())
        found = [] if guesses > 200 else [f"{guesses} guesses are no storm"]
        return found + [f"{one}: a wrong password" for one in traffic["responses"] if one != "guess 400"]


class RefreshFlood(Exchange):
    """Calls for new tokens of a few accounts, with right, altered and invented refresh tokens."""

    users = 4
    # The tokens of an account in ten minutes; one a second comes back.
    most_tokens = 600
    signs_in = True

    def script(self, number):
        user = yield from self.one_of(self.users, number)
        right = user.get("refreshToken", "none")
        while True:
            yield from self.ask("right", self.refresh(right))
            yield from self.ask("wrong", self.refresh(right[:-8] + "AAAAAAAA"))
            yield from self.ask("wrong", self.refresh(self.chooser.randbytes(48).hex()))
            yield from self.ask("wrong", self.refresh(right, grant_type="authorization_code"))

    def refresh(self, token, grant_type="refresh_token"):
        form = urllib.parse.urlencode({"grant_type": grant_type, "refresh_token": token}).encode()
        path = f"/securetoken.googleapis.com/v1/token?key={self.project}"
        return self.request("POST", path, form, content_type="application/x-www-form-urlencoded")

    @classmethod
    def complaints(cls, traffic, victim):
        responses = traffic["responses"]
        given, most = responses.get("right 200", 0), cls.users * (cls.most_tokens + 2 * cls.seconds)
        found = [] if 0 < given <= most else [f"{given} tokens were given, at most {most} are"]
        return found + [one for one in responses if one.startswith("wrong") and one != "wrong 400"]

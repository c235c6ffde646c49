"""Guessing, in production and over HTTP: what is counted, and who is not locked out by it."""

import concurrent.futures
import time

import pytest

from support import server as servers
from support.addresses import From
from support.identity import Identity, Refused

pytestmark = pytest.mark.brasa_only

PASSWORD = "correct horse 7"
PROJECT = "shop-limits"
WRONG = ("INVALID_LOGIN_CREDENTIALS", "TOO_MANY_ATTEMPTS_TRY_LATER")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    server = servers.Brasa(
        tmp_path_factory.mktemp("limits") / "data", development=False,
        environment={"BRASA_PROJECT": PROJECT},
    ).start()
    yield server
    assert server.stop() == 0, server.output[-4000:]


def at(shop, address):
    identity = Identity(shop, PROJECT)
    identity.session.mount("http://", From(address))
    return identity


def outcome(identity, email, password):
    """The code of a sign-in, None for a good one."""
    try:
        identity.client("signInWithPassword", email=email, password=password)
        return None
    except Refused as refusal:
        assert refusal.status == 400
        return refusal.code


def returned(begun, every):
    """How many tries may have come back since then, one every so many seconds."""
    return 1 + int((time.monotonic() - begun) / every)


def use_up(attempt):
    """Tries until no try is left; however slow the machine is, fewer come back than are used."""
    while attempt() != "TOO_MANY_ATTEMPTS_TRY_LATER":
        pass


def is_refused_once_used_up(wrong, right):
    """Whether the right password is refused behind wrong ones; on a slow machine a try may come back between."""
    for _ in range(5):
        use_up(wrong)
        if right() == "TOO_MANY_ATTEMPTS_TRY_LATER":
            return True
    return False


def parallel(count, work):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def test_100_parallel_wrong_passwords_count_as_100(shop):
    owner, other = at(shop, "127.1.0.1"), at(shop, "127.1.0.2")
    owner.client("signUp", email="ana@shop.example", password=PASSWORD)

    def guess(number):
        # What a header says about the address does not count.
        forged = at(shop, "127.1.0.2")
        forged.session.headers.update(
            {"X-Forwarded-For": f"10.0.0.{number}", "Forwarded": f"for=10.0.0.{number}"}
        )
        return outcome(forged, "ana@shop.example", f"wrong password {number}")

    begun = time.monotonic()
    codes = parallel(100, guess)
    wrong = codes.count("INVALID_LOGIN_CREDENTIALS")
    assert set(codes) <= set(WRONG)
    # Ten tries are an address's for one account; one comes back a minute.
    assert 1 <= wrong <= 10 + returned(begun, every=60), codes
    # The right one is of no use to the other now; the owner does not notice.
    assert is_refused_once_used_up(
        lambda: outcome(other, "ana@shop.example", "wrong again"),
        lambda: outcome(other, "ana@shop.example", PASSWORD),
    )
    assert outcome(owner, "ana@shop.example", PASSWORD) is None


def test_100_parallel_sign_ups_of_one_address_make_one_user(shop):
    def sign_up(number):
        try:
            return at(shop, f"127.2.0.{number}").client(
                "signUp", email="BIA@shop.example" if number % 2 else "bia@shop.example",
                password=f"the password {number}",
            )["localId"]
        except Refused as refusal:
            assert refusal.code in ("EMAIL_EXISTS", "TOO_MANY_ATTEMPTS_TRY_LATER"), refusal.message
            return None

    made = [uid for uid in parallel(100, sign_up) if uid]
    assert len(made) == 1
    users = Identity(shop, PROJECT).admin("/accounts:query", token=shop.administrator_key)["userInfo"]
    assert [user["localId"] for user in users if user["email"] == "bia@shop.example"] == made


@pytest.mark.slow
def test_a_storm_from_many_addresses_does_not_lock_the_owner_out(shop):
    """Once a hundred wrong passwords came from everywhere, new addresses wait; the owner's never do,
    and an email opens one."""
    home = at(shop, "127.3.0.1")
    session = home.client("signUp", email="caio@shop.example", password=PASSWORD)
    others = [at(shop, f"127.3.0.{number}") for number in range(2, 14)]
    parallel(108, lambda n: outcome(others[n % 12], "caio@shop.example", f"guess {n}"))
    away = at(shop, "127.3.1.1")
    assert outcome(away, "caio@shop.example", PASSWORD) == "TOO_MANY_ATTEMPTS_TRY_LATER"
    assert outcome(home, "caio@shop.example", PASSWORD) is None
    # Who is signed in stays so, and the address he does it from is his.
    moving = at(shop, "127.3.1.2")
    moving.refresh(session["refreshToken"])
    assert outcome(moving, "caio@shop.example", PASSWORD) is None
    link = home.admin(
        "/accounts:sendOobCode", token=shop.administrator_key, requestType="PASSWORD_RESET",
        email="caio@shop.example", returnOobLink=True,
    )
    away.client("resetPassword", oobCode=link["oobCode"], newPassword="by an email 9")
    assert outcome(away, "caio@shop.example", "by an email 9") is None


@pytest.mark.slow
def test_one_address_is_stopped_over_all_accounts_and_the_others_go_on(shop):
    other = at(shop, "127.4.0.1")
    begun = time.monotonic()
    codes = parallel(70, lambda n: outcome(other, f"nobody{n}@shop.example", "some password"))
    assert set(codes) <= set(WRONG) and codes.count(WRONG[0]) <= 60 + returned(begun, every=10)
    use_up(lambda: outcome(other, "nobody@shop.example", "some password"))
    assert outcome(at(shop, "127.4.0.2"), "nobody@shop.example", "some password") == WRONG[0]


def test_codes_are_not_found_by_trying(shop):
    other = at(shop, "127.5.0.1")
    codes = []

    def attempt():
        with pytest.raises(Refused) as refusal:
            other.client("resetPassword", oobCode=f"{len(codes):054d}")
        codes.append(refusal.value.code)
        return codes[-1]

    begun = time.monotonic()
    use_up(attempt)
    assert set(codes[:-1]) == {"INVALID_OOB_CODE"}
    assert 60 <= len(codes) - 1 <= 60 + returned(begun, every=10)


@pytest.mark.slow
def test_the_time_of_an_answer_does_not_tell_who_has_an_account(shop):
    """An unknown address costs a hash too. Medians, in turns; one machine's noise is not a tenth."""
    identity = at(shop, "127.7.0.1")
    for number in range(5):
        identity.client("signUp", email=f"known{number}@shop.example", password=PASSWORD)
    times = {"known": [], "unknown": []}
    for number in range(5):
        for kind in times:
            begin = time.perf_counter()
            code = outcome(identity, f"{kind}{number}@shop.example", "a wrong password")
            times[kind].append(time.perf_counter() - begin)
            assert code == "INVALID_LOGIN_CREDENTIALS"
    middle = {kind: sorted(found)[2] for kind, found in times.items()}
    assert 0.5 < middle["known"] / middle["unknown"] < 2, middle

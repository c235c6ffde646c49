"""WebChannel's corners by plain HTTP: framing, acknowledgements, resending, sessions and their ends."""

import json
import time

import pytest
import requests

from support import rpc, server as servers, webchannel

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def names(project):
    return rpc.Names(project)


@pytest.fixture
def session(server, names):
    made = webchannel.Session(server, names.database)
    yield made
    made.close()


@pytest.fixture
def opened(session):
    """A session that has its handshake's answer, and the number of that array."""
    assert session.open().status_code == 200
    back = session.get(long_poll=True)
    (array,) = back.rest()
    assert array[0] == 1 and array[1][0]["streamId"]
    session.token = array[1][0]["streamToken"]
    return session


def batch(session, names, path, **fields):
    values = {key: {"stringValue": value} for key, value in fields.items()}
    return {
        "streamToken": session.token,
        "writes": [{"update": {"name": names(path), "fields": values}}],
    }


def open_sessions(server, method="Write"):
    lines = [line for line in server.metrics if line.startswith(f'brasa_open_streams{{method="{method}"}}')]
    return sum(float(line.split()[-1]) for line in lines)


# Limits


@pytest.mark.parametrize(
    "halves, message",
    [
        (21, "Transaction too big. Decrease transaction size."),
        (40, "Request payload size exceeds the limit: 16777216 bytes."),
    ],
)
def test_a_batch_of_more_than_ten_mebibytes_is_refused_for_good(opened, names, halves, message):
    """A status other than 200 would say that the network failed, and the client would send the same for ever."""
    value = {"a": {"stringValue": "x" * (512 * 1024)}}
    writes = [{"update": {"name": names(f"c/{number}"), "fields": value}} for number in range(halves)]
    receipt = opened.post([{"streamToken": opened.token, "writes": writes}])
    assert isinstance(receipt, list), receipt.status_code
    error = opened.get(aid=1).rest()[-1][1][0]["error"]
    assert (error["status"], error["message"]) == ("INVALID_ARGUMENT", message)


# Opening


def test_the_opening_answer(session):
    response = session.open()
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response.headers["Cache-Control"]
    assert session.opening[2:4] == ["", 8]
    assert session.opening[5] == 30_000
    # A node of several has its number in front.
    assert len(session.sid) in (32, 48) and session.affinity != session.sid
    length, text = response.text.split("\n", 1)
    assert int(length) == len(text)


def test_ids_never_repeat(server, names):
    made = [webchannel.Session(server, names.database) for _ in range(20)]
    for one in made:
        one.open()
    assert len({one.sid for one in made}) == 20
    for one in made:
        one.terminate()
        one.close()


def test_headers_may_come_in_the_query(session):
    more = {"$httpHeaders": "Authorization:Bearer owner\r\n"}
    assert session.open(authorization=None, **more).status_code == 200
    assert session.get(long_poll=True).rest()[0][1][0]["streamToken"]


def test_the_query_may_ask_for_a_blocking_handshake(session):
    assert session.open(TYPE="init").status_code == 200
    assert session.get(long_poll=True).rest()[0][1][0]["streamToken"]


def test_credentials_that_are_none_come_back_as_an_error_in_the_stream(session):
    assert session.open(authorization="Basic x").status_code == 200
    ((number, payload),) = session.get().rest()
    assert number == 1
    error = payload[0]["error"]
    assert error["status"] == "UNAUTHENTICATED" and error["code"] == 401 and error["message"]


def test_another_version_of_the_protocol_is_refused(session):
    assert session.open(VER="7").status_code == 400


def test_the_first_messages_may_be_many(session, names):
    session.token = ""
    writes = [batch(session, names, f"c/{n}", text=str(n)) for n in range(3)]
    session.open([{"database": names.database}, *writes])
    back = session.get()
    assert back.message()[1][0]["streamId"]
    for _ in range(3):
        assert len(back.message()[1][0]["writeResults"]) == 1
    back.close()


# Both ways


def test_a_batch_is_written_and_answered(opened, names, calls):
    back = opened.get(aid=1)
    receipt = opened.post([batch(opened, names, "c/a", text="x")], aid=1)
    assert receipt[0] == 1
    number, (answer,) = back.message()
    assert answer["writeResults"][0]["updateTime"] == answer["commitTime"]
    assert answer["streamToken"] and "streamId" not in answer
    assert rpc.fields_of(calls.GetDocument(name=names("c/a"))) == {"text": "x"}
    assert number > 1
    back.close()


def test_lengths_count_utf16(opened, names):
    text = "naïve 🔥 漢字 \u2028 \U0001F1E7\U0001F1F7" * 50
    transform = {"fieldPath": "list", "appendMissingElements": {"values": [{"stringValue": text}]}}
    back = opened.get(aid=1)
    opened.post(
        [{"streamToken": opened.token, "writes": [{"transform": {"document": names("c/a"), "fieldTransforms": [transform]}}]}],
        aid=1,
    )
    assert back.message()[1][0]["commitTime"]
    # An error's text quotes the name, and two frames in a row show that the lengths fit.
    bad = {"streamToken": opened.token, "writes": [{"delete": names("c/" + text + "/odd")}]}
    opened.post([bad], aid=1)
    last = back.message()
    assert last[1][0]["error"]["status"] == "INVALID_ARGUMENT"
    assert back.next() is None


def test_a_streaming_back_channel_begins_with_something(opened):
    back = opened.get(aid=1)
    assert back.next()[1] == ["noop"]
    back.close()


def test_a_long_poll_waits_for_data_and_ends_with_it(opened, names):
    back = opened.get(aid=1, long_poll=True)
    twin = opened.twin()
    assert twin.post([batch(opened, names, "c/a", text="x")], aid=1)[0] == 1
    twin.close()
    arrays = back.rest()
    assert [number for number, _ in arrays] == [2]
    assert arrays[0][1][0]["commitTime"]


def test_a_long_poll_without_data_ends_with_a_noop(opened):
    back = opened.get(aid=1, long_poll=True, TO=300)
    assert [payload for _, payload in back.rest()] == [["noop"]]


def test_an_empty_post_only_acknowledges(opened):
    assert opened.post([], aid=1) == [0, 1, 0]


def test_a_receipt_tells_what_is_outstanding(opened, names):
    back = opened.get(aid=1)
    opened.post([batch(opened, names, "c/a", text="x")], aid=1)
    number = back.message()[0]
    present, last, outstanding = opened.post([], aid=1)
    assert (present, last) == (1, number) and outstanding > 0
    present, last, outstanding = opened.post([], aid=number)
    assert (present, last, outstanding) == (1, number, 0)
    back.close()


# Resending


def test_what_was_not_acknowledged_is_sent_again_with_its_number(opened, names):
    back = opened.get(aid=1)
    opened.post([batch(opened, names, f"c/{n}", text="x") for n in range(5)], aid=1)
    first = [back.message() for _ in range(5)]
    back.close()
    again = opened.get(aid=1)
    repeated = [again.message() for _ in range(5)]
    assert repeated == first
    again.close()
    # With an acknowledgement of the third, only the rest comes.
    rest = opened.get(aid=first[2][0])
    assert [rest.message() for _ in range(2)] == first[3:]
    rest.close()


def test_a_resent_post_is_taken_once(opened, names, calls):
    transform = {"fieldPath": "n", "increment": {"integerValue": "1"}}
    message = {
        "streamToken": opened.token,
        "writes": [{"transform": {"document": names("c/n"), "fieldTransforms": [transform]}}],
    }
    for _ in range(3):
        assert len(opened.post([message], offset=1, aid=1)) == 3
    back = opened.get(aid=1)
    assert back.message()[1][0]["writeResults"][0]["transformResults"] == [{"integerValue": "1"}]
    opened.post([message], offset=2, aid=1)
    assert back.message()[1][0]["writeResults"][0]["transformResults"] == [{"integerValue": "2"}]
    back.close()


def test_posts_that_overtake_each_other_are_put_in_order(opened, names):
    messages = [batch(opened, names, f"c/{n}", n=str(n)) for n in range(3)]
    for message, condition in zip(messages[1:], ("c/0", "c/1")):
        # Each batch needs the one before it.
        message["writes"].append({"verify": names(condition), "currentDocument": {"exists": True}})
    opened.post(messages[2:], offset=3, aid=1)
    opened.post(messages[1:2], offset=2, aid=1)
    opened.post(messages[:1], offset=1, aid=1)
    back = opened.get(aid=1)
    for _ in range(3):
        assert back.message()[1][0]["commitTime"]
    back.close()


def test_a_map_that_the_client_could_not_encode_is_passed_over(opened, names):
    body = "count=2&ofs=1&req0__type=_badmap&req1___data__=" + requests.utils.quote(
        json.dumps(batch(opened, names, "c/a", text="x"))
    )
    assert opened.request("POST", body, RID=5000, AID=1).status_code == 200
    assert opened.get(aid=1, long_poll=True).rest()[0][1][0]["commitTime"]


def test_a_new_back_channel_takes_the_place_of_the_old(opened, names):
    old = opened.get(aid=1)
    assert old.next()[1] == ["noop"]
    new = opened.get(aid=1)
    assert old.next() is None
    opened.post([batch(opened, names, "c/a", text="x")], aid=1)
    assert new.message()[1][0]["commitTime"]
    new.close()


# Ends


@pytest.mark.parametrize("verb", ["POST", "GET"])
def test_termination(server, opened, verb):
    before = open_sessions(server)
    back = opened.get(aid=1)
    back.next()
    assert opened.terminate(verb).status_code == 200
    assert back.next() is None
    # Sessions of other tests may end meanwhile too.
    assert open_sessions(server) < before
    answer = opened.post([])
    assert answer.status_code == 400 and answer.text.index("Unknown SID") > 0
    assert opened.get().status_code == 400
    assert opened.terminate().status_code == 200


def test_an_error_ends_the_session_after_the_client_has_it(opened, names):
    opened.post([{"streamToken": opened.token, "writes": [{"delete": names("odd")}]}], aid=1)
    first = opened.get(aid=1).rest()
    assert first[-1][1][0]["error"]["status"] == "INVALID_ARGUMENT"
    # Its answer may have been lost: it is there again.
    assert opened.get(aid=1).rest() == first
    assert opened.get(aid=first[-1][0]).status_code == 400


def test_a_message_that_is_no_json_ends_the_session(opened):
    opened.post(["{\"streamToken\":"], aid=1)
    assert opened.get(aid=1).rest()[-1][1][0]["error"]["status"] == "INVALID_ARGUMENT"


def test_a_field_that_does_not_exist_ends_the_session(opened):
    opened.post([{"token": "x"}], aid=1)
    assert opened.get(aid=1).rest()[-1][1][0]["error"]["status"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "body",
    ["count=x&ofs=1", "count=1001&ofs=1", "count=-1&ofs=0", "count=1&ofs=%zz", "count=1&ofs=" + "9" * 30],
)
def test_a_malformed_form_is_refused(opened, body):
    assert opened.request("POST", body, RID=5000, AID=1).status_code == 400


@pytest.mark.parametrize("body", ["", "&&&=&=", "count=0", "\x00\xff", "req0___data__"])
def test_garbage_without_messages_changes_nothing(opened, body, names):
    assert opened.request("POST", body.encode("latin-1"), RID=5000, AID=1).status_code == 200
    back = opened.get(aid=1)
    opened.post([batch(opened, names, "c/a", text="x")], aid=1)
    assert back.message()[1][0]["commitTime"]
    back.close()


@pytest.mark.parametrize(
    "number", ["-9223372036854775808", "9223372036854775807", "-2", "x", "", "1e9", "9" * 40]
)
def test_numbers_that_no_client_sends_are_refused_and_harm_nobody(server, session, number):
    """Two requests of nobody ended the process."""
    assert session.open(authorization=None).status_code == 200
    for parameter in ["AID", "TO"]:
        answer = session.request("GET", RID="rpc", CI=0, TYPE="xmlhttp", **{"AID": 0, parameter: number})
        assert answer.status_code == 400
        assert session.request("POST", "count=0", RID=9, **{parameter: number}).status_code == 400
    for body in [f"count=1&ofs={number}", f"count={number}&ofs=0", f"count=1&ofs=0&req{number}___data__=x"]:
        assert session.request("POST", body, RID=10, AID=0).status_code == 400
    assert requests.get(f"{server.url}/healthz", timeout=30).status_code == 200
    assert session.request("POST", "count=0&ofs=1", RID=11, AID=-1).status_code == 200


# Whose session it is


@pytest.mark.parametrize(
    "change",
    [
        {"SID": "0" * 32},
        {"gsessionid": "0" * 32},
        {"database": "projects/other/databases/(default)"},
    ],
)
def test_a_session_is_found_only_by_all_that_names_it(opened, change):
    assert opened.get(**change).status_code == 400
    assert opened.request("POST", "count=0&ofs=1", RID=9, AID=1, **change).status_code == 400
    # Nothing of it ended the session.
    assert opened.post([], aid=1)[1] == 1


def test_a_session_belongs_to_its_origin_and_credentials(opened):
    page = {"Origin": "https://page.example"}
    assert opened.post([], aid=1, headers={"Authorization": "Bearer somebody"}).status_code == 400
    assert opened.post([], aid=1, headers=page)[1] == 1


def test_a_session_of_a_page_is_no_other_pages(session):
    session.open(headers={"Origin": "https://one.example"})
    assert session.post([], headers={"Origin": "https://two.example"}).status_code == 400
    assert session.post([], headers={"Origin": "https://one.example"})[1] == 0
    assert session.post([])[1] == 0


def test_the_method_is_part_of_the_session(server, opened):
    opened.url = opened.url.replace("/Write/", "/Listen/")
    assert opened.post([], aid=1).status_code == 400


# Pages of other origins


def test_answers_are_readable_across_origins(session):
    page = {"Origin": "https://page.example"}
    response = session.open(headers=page)
    for answer in (response, session.get(long_poll=True, headers=page).response):
        assert answer.headers["Access-Control-Allow-Origin"] == "https://page.example"
        assert answer.headers["Access-Control-Allow-Credentials"] == "true"
        exposed = answer.headers["Access-Control-Expose-Headers"].lower()
        assert "x-http-session-id" in exposed and "x-client-wire-protocol" in exposed
        assert "Origin" in answer.headers["Vary"]


def test_preflights_are_answered(session):
    response = session.request(
        "OPTIONS",
        headers={
            "Origin": "https://page.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-custom",
        },
    )
    assert response.status_code == 200
    assert "x-custom" in response.headers["Access-Control-Allow-Headers"]


def test_a_stop_tells_the_client_and_is_not_held_up(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    try:
        one, other = (webchannel.Session(server, "projects/p/databases/(default)") for _ in range(2))
        backs = []
        for session in (one, other):
            session.open()
            backs.append(session.get())
            assert backs[-1].message()[1][0]["streamToken"]
        begun = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - begun < 9
        for back in backs:
            assert back.rest()[-1][1][0]["error"]["status"] == "UNAVAILABLE"
        one.close()
        other.close()
    finally:
        server.kill()

"""What the courses never send: each service refuses it in its own form of an error, and stores nothing."""

import http.client
import json

import pytest
from conftest import PATIENCE
from requests_of_texts import Reply, send, send_json
from test_book import BASIC, TOKEN_FORM

FORM = "application/x-www-form-urlencoded"
LONG = "x" * 5_000
WRONG = ["", "{", "null", "[]", "1", '"text"', "{}", "[" * 3_000, '{"a":' * 3_000]


def refused(reply, *statuses):
    """The one form that all services' clients read: the sentence twice, and the status."""
    assert reply.status in (statuses or (400,)), f"{reply.status} {reply.text[:300]}"
    body = reply.json
    assert body["status"] == reply.status == body["error"]["code"], body
    assert body["message"] and body["error"]["message"] == body["message"]
    assert LONG not in reply.text


def variants(good):
    """The good body with each field left out, null, of other types, and overlong."""
    for name in good:
        yield name, "missing", {k: v for k, v in good.items() if k != name}
        for value in (None, [], {}, True, LONG):
            yield name, value, {**good, name: value}


def test_ponto(run, tmp_path):
    service = run("ponto-service", "--database", tmp_path / "ponto.sqlite")
    receipts = f"{service.address}/recibos"
    good = {"data": "22/10/2021 03:34", "status": False, "localizacao": {"latitude": "1", "longitude": "2"}}
    for body in WRONG:
        refused(send_json("POST", receipts, body))
    for name, value, body in variants(good):
        # A receipt may have no place; a status of true is as good as false.
        if (name, value) in (("localizacao", "missing"), ("localizacao", None), ("status", True)):
            continue
        refused(send_json("POST", receipts, json.dumps(body)))
    for place in (
        {"latitude": "north", "longitude": "2"}, {"latitude": "1"}, {"latitude": LONG, "longitude": "2"},
        {"latitude": "0x1p3", "longitude": "2"}, {"latitude": "１", "longitude": "2"},
    ):
        refused(send_json("POST", receipts, json.dumps({**good, "localizacao": place})))
    for day in ("31/02/2021 03:34", "22/10/2021 24:00", "2021-10-22", "22/10/2021 03:34\n", "２２/10/2021 03:34"):
        refused(send_json("POST", receipts, json.dumps({**good, "data": day})))
    refused(send_json("POST", receipts, json.dumps({**good, "id": "1"})))
    refused(send_json("POST", receipts, json.dumps({**good, "data": "22/10/2021 03:34\0"})))
    refused(send("DELETE", f"{receipts}/1"))
    refused(send("DELETE", f"{receipts}/00000000-0000-0000-0000-000000000000"), 404)
    assert send("GET", receipts).says(200) == []


@pytest.fixture
def clinic(run, tmp_path):
    return run("vollmed-service", "--sample", "--database", tmp_path / "clinic.sqlite").address


def login(clinic, email, password):
    body = json.dumps({"email": email, "senha": password})
    return send_json("POST", f"{clinic}/auth/login", body).says(200)


def test_vollmed(clinic):
    good = {
        "cpf": "52998224725", "nome": "Ana", "email": "ana@gmail.com", "senha": "123456",
        "telefone": "21999999999", "planoSaude": "Unimed",
    }
    for body in WRONG:
        refused(send_json("POST", f"{clinic}/paciente", body))
        refused(send_json("POST", f"{clinic}/auth/login", body))
    for name, value, body in variants(good):
        if name == "planoSaude" and value in ("missing", None):
            continue
        refused(send_json("POST", f"{clinic}/paciente", json.dumps(body)))
    # SQLite would look for the part before a NUL.
    entering = json.dumps({"email": "lucas@example.com\0x", "senha": "senha123"})
    refused(send_json("POST", f"{clinic}/auth/login", entering))
    # None of them made an account.
    entering = json.dumps({"email": good["email"], "senha": good["senha"]})
    refused(send_json("POST", f"{clinic}/auth/login", entering), 404)

    send_json("POST", f"{clinic}/paciente", json.dumps(good)).says(202)
    hers = login(clinic, good["email"], good["senha"])
    his = login(clinic, "lucas@example.com", "senha123")
    token = {"Authorization": f"Bearer {hers['token']}"}
    foreign = [{}, *({"Authorization": f"Bearer {t}"} for t in ("", "x", LONG, f"{hers['token']}x", "e30.e30."))]
    mine = f"{clinic}/paciente/{hers['id']}"
    for headers in foreign:
        for method, path in (("GET", ""), ("GET", "/consultas"), ("PUT", ""), ("DELETE", "")):
            refused(send_json(method, mine + path, json.dumps(good) if method == "PUT" else None, **headers), 401)
    for method, path in (("GET", ""), ("GET", "/consultas"), ("DELETE", "")):
        refused(send(method, mine + path, Authorization=f"Bearer {his['token']}"), 403)
    refused(send_json("PUT", mine, json.dumps(good), Authorization=f"Bearer {his['token']}"), 403)

    visit = {
        "especialista": send("GET", f"{clinic}/especialista").says(200)[0]["id"],
        "paciente": hers["id"], "data": "2031-01-07T10:15:00.000-0300",
    }
    for path in ("consulta", "consultas/agendar"):
        address = f"{clinic}/{path}"
        for body in WRONG:
            refused(send_json("POST", address, body, **token))
        for _, _, body in variants(visit):
            refused(send_json("POST", address, json.dumps(body), **token), 400, 403, 404)
        for headers in foreign:
            refused(send_json("POST", address, json.dumps(visit), **headers), 401)
        refused(send_json("POST", address, json.dumps(visit), Authorization=f"Bearer {his['token']}"), 403)
        for name in ("especialista", "paciente", "data"):
            refused(send_json("POST", address, json.dumps({**visit, name: visit[name] + "\0x"}), **token))
    assert send("GET", f"{mine}/consultas", **token).says(200) == []
    booked = send_json("POST", f"{clinic}/consulta", json.dumps(visit), **token).says(200)
    hold = f"{clinic}/consulta/{booked['id']}"
    later = json.dumps({"data": "2031-01-08T10:15:00.000-0300"})
    for body in (*WRONG, '{"data":7}', '{"status":"x"}', '{"status":"cancelada"}', f'{{"data":"{LONG}"}}'):
        refused(send_json("PATCH", hold, body, **token))
    for body in ('{"motivoCancelamento":7}', f'{{"motivoCancelamento":"{LONG}"}}', "", "[]"):
        refused(send_json("DELETE", hold, body, **token))
    for method, body in (("GET", None), ("PATCH", later), ("DELETE", "{}")):
        for headers in foreign:
            refused(send_json(method, hold, body, **headers), 401)
        refused(send_json(method, hold, body, Authorization=f"Bearer {his['token']}"), 403)
    assert [a["data"] for a in send("GET", f"{mine}/consultas", **token).says(200)] == ["2031-01-07T13:15:00.000Z"]
    kept = send("GET", mine, **token).says(200)
    assert (kept["nome"], kept["email"], kept["planoSaude"]) == ("Ana", "ana@gmail.com", "Unimed")


def test_a_body_that_is_badly_framed(clinic):
    connection = http.client.HTTPConnection(clinic.removeprefix("http://"), timeout=PATIENCE)
    connection.putrequest("POST", "/paciente")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    connection.send(b"zz\r\n")
    reply = connection.getresponse()
    refused(Reply(reply.status, reply.read()))
    connection.close()


def test_specialists_of_vollmed(clinic):
    listed = send("GET", f"{clinic}/especialista").says(200)
    good = {
        "nome": "Ana", "crm": "777", "imagem": "https://example.com/a.png", "especialidade": "Pediatria",
        "email": "dr.ana@gmail.com", "telefone": "2199", "senha": "123456",
    }
    for body in WRONG:
        refused(send_json("POST", f"{clinic}/especialista", body))
    for name, value, body in variants(good):
        if name in ("email", "telefone") and value in ("missing", None):
            continue
        refused(send_json("POST", f"{clinic}/especialista", json.dumps(body)))
    for taken in ({"crm": "12345"}, {"email": "12345@example.com"}, {"email": "lucas@example.com"}):
        refused(send_json("POST", f"{clinic}/especialista", json.dumps({**good, **taken})), 422)
        refused(send_json("POST", f"{clinic}/especialista", json.dumps([good, {**good, **taken}])), 422)
    # Whoever is not the specialist changes nothing: nobody, a patient, a colleague.
    theirs = f"{clinic}/especialista/{next(one['id'] for one in listed if one['crm'] == '12345')}"
    tokens = [login(clinic, f"{name}@example.com", "senha123")["token"] for name in ("lucas", "67890")]
    for method, body in (("PUT", json.dumps(good)), ("PATCH", '{"telefone":"666"}'), ("DELETE", None)):
        refused(send_json(method, theirs, body), 401)
        for token in tokens:
            refused(send_json(method, theirs, body, Authorization=f"Bearer {token}"), 403)
    assert send("GET", f"{clinic}/especialista").says(200) == listed
    login(clinic, "12345@example.com", "senha123")


def test_sales(run, tmp_path):
    shop = run("sales-service", "--sample", "--database", tmp_path / "shop.sqlite").address
    token = f"{shop}/oauth/token"

    def grant(form, **headers):
        return send("POST", token, form, Content_Type=FORM, **{"Authorization": BASIC, **headers})

    for form in ("", "grant_type=password", TOKEN_FORM.replace("=matilde", f"={LONG}"), "grant_type=none&username=a", "%"):
        refused(grant(form), 400, 401)
    for header in ("", "Basic", "Basic !", f"Basic {LONG}", "Bearer x"):
        refused(grant(TOKEN_FORM, Authorization=header), 401)
    bearer = {"Authorization": f"Bearer {grant(TOKEN_FORM).says(200)['access_token']}"}

    def stored():
        return [send("GET", f"{shop}/api/{name}", **bearer).says(200) for name in ("users", "products", "orders")]

    person = {"email": "doralice@siecola.com.br", "password": "doralice", "role": "USER", "enabled": True}
    made = send_json("POST", f"{shop}/api/users", json.dumps(person), **bearer).says(200)
    before = stored()
    goods = {
        "products": {"name": "product9", "description": "description9", "code": "COD9", "price": 10},
        "users": {"email": "new@siecola.com.br", "password": "new", "role": "USER", "enabled": True},
    }
    # The book's service takes a product without a price for one that costs nothing.
    optional = {"description", "price", "role", "enabled"}
    for name, good in goods.items():
        address = f"{shop}/api/{name}"
        for body in WRONG:
            refused(send_json("POST", address, body, **bearer))
        for field, value, body in variants(good):
            if field in optional and value in ("missing", None) or (field, value) == ("enabled", True):
                continue
            refused(send_json("POST", address, json.dumps(body), **bearer), 400)
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": f"Bearer {LONG}"}, {"Authorization": BASIC}):
            refused(send_json("POST", address, json.dumps(good), **headers), 401)
            refused(send("GET", address, **headers), 401)
    refused(send_json("POST", f"{shop}/api/products", '{"name":"x","code":"y","price":1e999}', **bearer))
    # Changes are checked like what is new, and a strange token neither changes nor deletes.
    changes = {
        "products/COD1": goods["products"],
        "users/byemail?email=doralice@siecola.com.br": {**person, "id": made["id"]},
    }
    for path, good in changes.items():
        for body in WRONG:
            refused(send_json("PUT", f"{shop}/api/{path}", body, **bearer))
        for field, value, body in variants(good):
            if field in {*optional, "password"} and value in ("missing", None) or (field, value) == ("enabled", True):
                continue
            refused(send_json("PUT", f"{shop}/api/{path}", json.dumps(body), **bearer), 400)
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": BASIC}):
            refused(send_json("PUT", f"{shop}/api/{path}", json.dumps(good), **headers), 401)
            refused(send("DELETE", f"{shop}/api/{path}", **headers), 401)
    for method in ("PUT", "DELETE"):
        body = json.dumps(goods["products"]) if method == "PUT" else None
        refused(send_json(method, f"{shop}/api/products/NONE", body, **bearer), 404)
    # A NUL hides no name from the checks.
    hidden = TOKEN_FORM.split("username=")[1].split("&")[0] + "%00x"
    refused(grant(f"grant_type=password&username={hidden}&password=matilde"))
    for method, body in (("GET", None), ("PUT", json.dumps({**goods["users"], "id": 1})), ("DELETE", None)):
        refused(send_json(method, f"{shop}/api/users/byemail?email={hidden}", body, **bearer))
        refused(send_json(method, f"{shop}/api/products/COD1%00x", json.dumps(goods["products"]), **bearer))
    assert stored() == before


@pytest.mark.parametrize("price", [{}, {"price": None}, {"price": 0}])
def test_sales_a_product_without_a_price_costs_nothing(run, tmp_path, price):
    """As in the book's own service, whose price is a number that JSON may leave out."""
    shop = run("sales-service", "--database", tmp_path / "shop.sqlite").address
    granted = send("POST", f"{shop}/oauth/token", TOKEN_FORM, Content_Type=FORM, Authorization=BASIC).says(200)
    bearer = {"Authorization": f"Bearer {granted['access_token']}"}
    body = json.dumps({"name": "product9", "code": "COD9", **price})
    made = send_json("POST", f"{shop}/api/products", body, **bearer).says(201)
    assert (made["price"], made["quantity"], made["description"]) == (0, 0, "")
    changed = send_json("PUT", f"{shop}/api/products/COD9", json.dumps({**made, "price": 9.5}), **bearer).says(200)
    assert changed == {**made, "price": 9.5}
    body = json.dumps({"id": made["id"], "name": "product9", "code": "COD9", **price})
    assert send_json("PUT", f"{shop}/api/products/COD9", body, **bearer).says(200) == made
    assert send("GET", f"{shop}/api/products", **bearer).says(200) == [made]

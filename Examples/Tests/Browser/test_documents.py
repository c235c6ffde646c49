"""The documents' own requests, sent with curl, get the documented answers."""

import json
import subprocess

import pytest
from conftest import PROGRAM

JSON = ("-H", "Content-Type: application/json")


def curl(*arguments):
    """The status and the body, decoded when it is JSON."""
    done = subprocess.run(
        ["curl", "-sS", "-m", "20", "-w", "\n%{http_code}", *arguments],
        check=True, capture_output=True, text=True,
    )
    body, status = done.stdout.rsplit("\n", 1)
    try:
        return int(status), json.loads(body)
    except ValueError:
        return int(status), body


def token(service, basic="c2llY29sYTptYXRpbGRl"):
    return curl(
        "-X", "POST", f"{service.address}/oauth/token",
        "-H", "Content-Type: application/x-www-form-urlencoded",
        "-H", f"Authorization: Basic {basic}",
        "-d", "grant_type=password&username=matilde@siecola.com.br&password=matilde",
    )


def test_sales_provider_chapter_6(run, tmp_path):
    service = run("sales-service", "--database", tmp_path / "sales.sqlite")
    assert token(service, "c2llY29sYTptYXRpbGRI")[0] == 401
    status, answer = token(service)
    assert status == 200
    assert set(answer) == {"access_token", "token_type", "refresh_token", "expires_in", "scope"}
    bearer = ("-H", f"Authorization: Bearer {answer['access_token']}")

    user = {
        "email": "doralice@siecola.com.br", "password": "doralice", "gcmRegId": None,
        "lastLogin": None, "lastGCMRegister": None, "role": "USER", "enabled": True,
    }
    status, created = curl(
        "-X", "POST", f"{service.address}/api/users", *JSON, *bearer, "-d", json.dumps(user)
    )
    assert status == 200 and created["id"] > 2**31
    assert {k: v for k, v in created.items() if k != "id"} == {**user, "password": None}

    product = {"name": "Product 1", "description": "Desc 1", "code": "COD1", "price": 10.0}
    address = f"{service.address}/api/products"
    status, stored = curl("-X", "POST", address, *JSON, *bearer, "-d", json.dumps(product))
    assert status == 201 and stored == {**product, "id": stored["id"], "quantity": 0}
    assert curl(address, *bearer) == (200, [stored])
    assert curl(f"{address}/COD1", *bearer) == (200, stored)
    changed = {**stored, "price": 12.5}
    put = curl("-X", "PUT", f"{address}/COD1", *JSON, *bearer, "-d", json.dumps(changed))
    assert put == (200, changed)
    assert curl("-X", "DELETE", f"{address}/COD1", *bearer) == (200, changed)
    assert curl(f"{address}/COD1", *bearer)[0] == 404


def test_sales_provider_by_the_repositorys_rules(run, tmp_path):
    database = tmp_path / "sales.sqlite"
    service = run("sales-service", "--rules", "repository", "--database", database)
    status, answer = token(service)
    assert status == 200
    admin = ("-H", f"Authorization: Bearer {answer['access_token']}")
    user = {"email": "doralice@siecola.com.br", "password": "matilde", "role": "ADMIN", "enabled": True}
    status, created = curl("-X", "POST", f"{service.address}/api/users", *JSON, "-d", json.dumps(user))
    assert status == 200 and created["role"] == "USER"
    status, answer = curl(
        "-X", "POST", f"{service.address}/oauth/token",
        "-H", "Authorization: Basic c2llY29sYTptYXRpbGRl",
        "-d", "grant_type=password&username=doralice@siecola.com.br&password=matilde",
    )
    hers = ("-H", f"Authorization: Bearer {answer['access_token']}")
    address = f"{service.address}/api/products"
    product = json.dumps({"name": "Product 1", "description": "", "code": "COD1", "price": 1})
    for who in (admin, hers):
        assert curl(address, *who) == (200, [])
        assert curl("-X", "POST", address, *JSON, *who, "-d", product)[0] == 201
        assert len(curl(address, *who)[1]) == 1
    service.stop()
    # Two products of one code are none of the book's.
    refused = subprocess.run(
        [str(PROGRAM), "sales-service", "--database", str(database)],
        capture_output=True, text=True, timeout=20,
    )
    assert refused.returncode != 0 and "--rules repository" in refused.stderr
    assert "COD1" in refused.stderr


def test_vollmed_requests(run, tmp_path):
    service = run("vollmed-service", "--sample", "--database", tmp_path / "clinic.sqlite")
    status, specialists = curl(f"{service.address}/especialista")
    assert status == 200 and len(specialists) == 5
    patient = {
        "cpf": "52998224725", "nome": "Lucas", "email": "lucas@gmail.com", "senha": "123456",
        "telefone": "21999999999", "planoSaude": "Unimed",
    }
    status, created = curl(
        "-X", "POST", f"{service.address}/paciente", *JSON, "-d", json.dumps(patient)
    )
    assert status == 202 and created["nome"] == "Lucas"
    status, session = curl(
        "-X", "POST", f"{service.address}/auth/login", *JSON,
        "-d", '{"email":"lucas@gmail.com","senha":"123456"}',
    )
    assert status == 200 and session["auth"] is True and session["id"] == created["id"]
    bearer = ("-H", f"Authorization: Bearer {session['token']}")
    status, answer = curl(
        "-X", "POST", f"{service.address}/consulta", *JSON, *bearer,
        "-d", json.dumps({
            "especialista": specialists[0]["id"], "paciente": created["id"],
            "data": "2020-01-06T10:00:00.000-0300",
        }),
    )
    assert status == 400 and "30 minutos" in answer["error"]["message"]
    assert curl(f"{service.address}/paciente/{created['id']}/consultas", *bearer) == (200, [])
    out = curl("-X", "POST", f"{service.address}/auth/logout", *bearer)
    assert out == (200, {"auth": False, "token": None})


def test_vollmed_mock_server_of_the_error_course(run, tmp_path):
    mock = tmp_path / "mock.json"
    body = {"error": {
        "code": 400,
        "message": "Ops! Ocorreu um erro, mas já estamos trabalhando para solucionar",
    }}
    mock.write_text(json.dumps([{
        "method": "GET", "path": "/specialists", "status": 400, "body": body,
    }]))
    service = run(
        "vollmed-service", "--database", tmp_path / "clinic.sqlite", "--mock", mock
    )
    assert curl(f"{service.address}/specialists") == (400, body)


@pytest.mark.parametrize("numbers", [False, True])
def test_ponto_requests(run, tmp_path, numbers):
    service = run("ponto-service", "--database", tmp_path / "ponto.sqlite")
    address = f"{service.address}/recibos"
    assert curl(address) == (200, [])
    place = {"latitude": 1, "longitude": 2} if numbers else {"latitude": "1", "longitude": "2"}
    receipt = {"data": "22/10/2021 03:34", "status": False, "localizacao": place}
    status, stored = curl("-X", "POST", address, *JSON, "-d", json.dumps(receipt))
    assert status == 200 and stored["status"] is True
    assert stored["localizacao"] == {"latitude": "1", "longitude": "2"}
    assert curl(address) == (200, [stored])
    assert curl("-X", "DELETE", f"{address}/{stored['id']}") == (200, "")
    unknown = f"{address}/3f91c769-a87a-4381-9637-39cac899f33f"
    assert curl("-X", "DELETE", unknown)[0] == 404

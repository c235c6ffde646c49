"""Health, metrics, and what else an operator asks the port."""

import grpc
import pytest
import requests

pytestmark = pytest.mark.brasa_only


def test_health_over_http(server):
    answer = requests.get(server.url + "/healthz", timeout=30)
    assert answer.status_code == 200


@pytest.mark.parametrize("service", ["", "google.firestore.v1.Firestore"])
def test_health_over_grpc(server, service):
    request = bytes([0x0A, len(service)]) + service.encode() if service else b""
    with grpc.insecure_channel(server.host) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check", request_serializer=bytes, response_deserializer=bytes
        )
        # status 1: SERVING
        assert check(request, timeout=30) == b"\x08\x01"


def test_health_of_an_unknown_service(server):
    name = b"nonsense.Service"
    with grpc.insecure_channel(server.host) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check", request_serializer=bytes, response_deserializer=bytes
        )
        with pytest.raises(grpc.RpcError) as refusal:
            check(bytes([0x0A, len(name)]) + name, timeout=30)
        assert refusal.value.code() is grpc.StatusCode.NOT_FOUND


def test_metrics_count_requests_by_method_and_code(server, client):
    client.document("m/a").set({"n": 1})
    client.document("m/a").get()
    with pytest.raises(Exception):
        client.document("m/a").create({})
    text = requests.get(server.url + "/metrics", timeout=30).text
    samples = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert any("Commit" in line and "OK" in line for line in samples), text[:2000]
    assert any("Commit" in line and "ALREADY_EXISTS" in line for line in samples)
    assert any("BatchGetDocuments" in line for line in samples)
    for name in ("call_duration_seconds_bucket", "received_bytes", "groups_total", "durable_seconds"):
        assert name in text, name
    for line in samples:
        float(line.rsplit(" ", 1)[1])

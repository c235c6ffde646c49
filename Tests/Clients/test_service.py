"""Health, metrics, and what else an operator asks the port."""

import re

import grpc
import pytest
import requests

from support import rest

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
    samples = [line for line in server.metrics if line and not line.startswith("#")]
    assert any("Commit" in line and "OK" in line for line in samples), samples[:20]
    assert any("Commit" in line and "ALREADY_EXISTS" in line for line in samples)
    assert any("BatchGetDocuments" in line for line in samples)
    for name in ("call_duration_seconds_bucket", "received_bytes_total"):
        assert any(line.startswith("brasa_" + name) for line in samples), name


def test_metrics_are_good_prometheus_text(server, project):
    # On connections of their own, which may be to several nodes.
    for _ in range(2):
        rest.Rest(server, project).documents("PATCH", "m/b", json={"fields": {}})
    kinds, helped, histograms = {}, set(), {}
    for line in requests.get(server.url + "/metrics", timeout=30).text.splitlines():
        if line.startswith("# HELP "):
            name, text = line[len("# HELP ") :].split(" ", 1)
            assert text.endswith("."), line
            helped.add(name)
            continue
        if line.startswith("# TYPE "):
            name, kind = line[len("# TYPE ") :].split(" ")
            assert name not in kinds, f"{name} has two heads"
            assert re.fullmatch("brasa_[a-z0-9_]+", name), name
            assert name.endswith("_total") == (kind == "counter"), line
            kinds[name] = kind
            continue
        key, value = line.rsplit(" ", 1)
        name, _, labels = key.partition("{")
        series = re.sub("_(bucket|sum|count)$", "", name) if name not in kinds else name
        assert series in kinds, f"{line} comes before its head"
        if kinds[series] != "histogram":
            assert float(value) >= 0
        elif name.endswith("_bucket"):
            labels, _, bound = labels.rstrip("}").rpartition("le=")
            buckets = histograms.setdefault((series, labels.rstrip(",")), [])
            buckets.append((float(bound.strip('"')), int(value)))
        elif name.endswith("_count"):
            buckets = histograms[series, labels.rstrip("}")]
            assert buckets == sorted(buckets) and [n for _, n in buckets] == sorted(
                n for _, n in buckets
            )
            assert buckets[-1] == (float("inf"), int(value)), line
    assert helped == set(kinds)
    for name in ("commit_group_commits", "kv_group_keys", "kv_group_durable_seconds"):
        assert histograms[f"brasa_{name}", ""][-1][1] > 0, name

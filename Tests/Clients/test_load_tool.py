"""brasa-load does what it says: its loads run without errors and lose nothing."""

import re
import subprocess

import pytest

from support import clients, server as servers

PROGRAM = servers.binary().with_name("brasa-load")

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason=f"{PROGRAM} is not built")


def load(server, project, *arguments):
    command = [PROGRAM, *arguments, "--port", server.port, "--project", project]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^errors: 0$", done.stdout, re.MULTILINE), done.stdout
    assert "LOST" not in done.stdout, done.stdout
    return done.stdout


def measured(report):
    return float(re.search(r"^throughput: ([\d.]+)/s", report, re.MULTILINE)[1])


SHORT = ("--seconds", 1, "--warm-up", 0, "--connections", 2, "--in-flight", 2)


def test_a_filled_collection_is_read_and_queried(server, project):
    filled = load(server, project, "fill", "--documents", 300, "--connections", 2, "--in-flight", 2)
    assert "300 documents acknowledged, the collection has 300 more" in filled
    client = clients.connect(server, project)
    first = client.collection("products").limit(1).get()[0].to_dict()
    assert set(first) == {"userId", "name", "description", "code", "price"}
    client.close()
    assert measured(load(server, project, "get", "--documents", 300, *SHORT)) > 0
    paced = load(server, project, "get", "--documents", 300, "--rate", 200, *SHORT)
    assert 0 < measured(paced) <= 200
    queried = load(server, project, "query", "--documents", 300, *SHORT)
    operations = int(re.search(r"\((\d+) in", queried)[1])
    assert operations > 0 and "documents:" in queried
    again = load(server, project, "fill", "--documents", 300, "--connections", 1, "--in-flight", 1)
    assert "the collection has 0 more (300 in all)" in again


@pytest.mark.parametrize("arguments", [("create",), ("batch-create", "--batch", 7)])
def test_what_was_created_is_counted_afterwards(server, project, arguments):
    report = load(server, project, *arguments, *SHORT)
    counts = re.search(r"durable: (\d+) documents acknowledged, the collection has (\d+) more", report)
    assert counts[1] == counts[2] and int(counts[1]) > 0


def test_transactions_add_up(server, project):
    report = load(server, project, "transact", *SHORT)
    counts = re.search(r"durable: (\d+) acknowledged, the counter grew by (\d+)", report)
    assert counts[1] == counts[2] and int(counts[1]) > 0


def test_tokens_need_no_server():
    done = subprocess.run(
        [str(PROGRAM), "tokens", "--tokens", "3", "--checks", "1000"], capture_output=True, text=True,
        timeout=60,
    )
    assert "a token at first sight: p50" in done.stdout and "a known token:" in done.stdout, done


def test_rocksdb_alone(tmp_path):
    command = [PROGRAM, "raw", "--documents", "200", "--group", "50", "--directory", tmp_path / "raw"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert measured(done.stdout) > 0
    assert re.search(r"a product: [\d.]+ key-values, \d+ bytes", done.stdout)
    assert not (tmp_path / "raw").exists()


@pytest.mark.parametrize("arguments", [("get", "--connections", "0"), ("nonsense",), ("get", "--port", "1")])
def test_bad_arguments_say_so(arguments):
    done = subprocess.run([str(PROGRAM), *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and done.stderr.strip()


def load_files(server, project, *arguments):
    command = [PROGRAM, "files", *arguments, "--port", server.port, "--bucket", f"{project}.appspot.com"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^errors: 0$", done.stdout, re.MULTILINE), done.stdout
    assert "LOST" not in done.stdout, done.stdout
    return done.stdout


FILES_SHORT = ("--seconds", 1, "--warm-up", 0, "--connections", 3)


def test_filled_files_are_read_in_every_dialect(server, project):
    load_files(server, project, "fill", "--objects", 30, "--size", 3_000, "--connections", 3)
    for more in [(), ("--range", 100), ("--dialect", "firebase", "--token", "owner"), ("--once",)]:
        report = load_files(server, project, "download", "--objects", 30, "--size", 3_000, *FILES_SHORT, *more)
        assert measured(report) > 0


# Small ones are in the engine, whose syncs many share; others are a file and its directory.
@pytest.mark.one_process("each counts its own syncs")
@pytest.mark.parametrize("size, syncs", [(3_000, 0), (40_000, 2)])
def test_files_written_are_counted_afterwards(server, project, size, syncs):
    report = load_files(server, project, "upload", "--size", size, *FILES_SHORT)
    counts = re.search(r"durable: (\d+) objects acknowledged, the bucket has (\d+) more", report)
    assert counts[1] == counts[2] and int(counts[1]) > 0
    assert re.search(rf"^files: {syncs} syncs an object$", report, re.MULTILINE), report


def test_resumable_uploads_come_in_chunks(server, project):
    report = load_files(server, project, "resumable", "--size", 700_000, "--chunk", 262_144, "--objects", 5,
                        "--connections", 2)
    assert "durable: 5 objects acknowledged, the bucket has 5 more" in report


def test_copies_are_listed_by_folder(server, project):
    load_files(server, project, "fill", "--objects", 1_000, "--size", 10, "--copies", "--connections", 8)
    report = load_files(server, project, "list", "--objects", 1_000, "--limit", 50, *FILES_SHORT)
    assert measured(report) > 0


def test_a_missing_file_is_an_error(server, project):
    command = [PROGRAM, "files", "download", "--port", server.port, "--bucket", f"{project}.appspot.com", *FILES_SHORT]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60)
    assert re.search(r"^errors: [1-9]", done.stdout, re.MULTILINE) and "status 404" in done.stdout, done


def load_messages(*arguments):
    command = [str(part) for part in (PROGRAM, "messages", *arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(re.findall(r"^errors: (\d+)$", done.stdout, re.MULTILINE)) == {"0"}, done.stdout
    return done.stdout


@pytest.mark.brasa_only
def test_messages_are_sent_and_acknowledged(server, project):
    where = ("--port", server.port, "--project", project)
    report = load_messages("send", "--devices", 20, *FILES_SHORT, *where)
    assert measured(report[report.index("messages send"):]) > 0
    report = load_messages("streams", "--streams", 20, "--rate", 50, "--seconds", 1, *where)
    assert "sent: 50, 50 a second" in report and "send to acknowledgement: p50" in report


@pytest.mark.brasa_only
def test_a_topic_of_registrations_made_before_the_start_is_expanded(tmp_path):
    data = tmp_path / "data"
    report = load_messages("fill", "--data", data, "--registrations", 1_500, "--queue")
    assert "1500 registrations by direct" in report and measured_line("expanded", report) > 0
    running = servers.Brasa(data)
    running.start()
    try:
        report = load_messages("topic", "--port", running.port)
    finally:
        running.stop()
    assert "messages topic: 1500 deliveries" in report and measured_line("expanded", report) > 0


def measured_line(name, report):
    return float(re.search(rf"^{name}: (?:.*, )?([\d.]+)/s", report, re.MULTILINE)[1])

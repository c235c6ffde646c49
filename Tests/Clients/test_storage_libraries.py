"""Libraries that work on buckets and documents for others, unmodified: pyarrow, gcsfs and firedantic."""

import os

import pyarrow
import pyarrow.fs
import pyarrow.parquet
import pytest
import requests
from firedantic import Model, configure
from gcsfs.core import GCSFileSystem

from support import clients, storage_tools as tools

pytestmark = pytest.mark.brasa_only

# More than one part.
LARGE = 11 << 20


@pytest.fixture
def bucket(project):
    return f"{project}-data"


def write(files, path, content):
    with files.open_output_stream(path) as stream:
        stream.write(content)


def names(files, root):
    return sorted(item.path.removeprefix(root + "/") for item in files.get_file_info(pyarrow.fs.FileSelector(root, recursive=True)))


def use(files, bucket, tmp_path):
    """What people do with a file system of pyarrow's."""
    large = os.urandom(LARGE)
    write(files, f"{bucket}/a.txt", b"hello")
    files.create_dir(f"{bucket}/below")
    write(files, f"{bucket}/below/large", large)
    assert files.get_file_info(f"{bucket}/a.txt").size == 5
    assert {"a.txt", "below/large"} <= set(names(files, bucket))
    with files.open_input_file(f"{bucket}/below/large") as file:
        file.seek(LARGE - 10)
        assert file.read(10) == large[-10:]
    assert files.open_input_stream(f"{bucket}/below/large").readall() == large
    files.copy_file(f"{bucket}/a.txt", f"{bucket}/copy.txt")
    files.move(f"{bucket}/copy.txt", f"{bucket}/moved.txt")
    assert files.open_input_stream(f"{bucket}/moved.txt").readall() == b"hello"
    table = pyarrow.table({"n": list(range(1_000)), "t": [str(n) for n in range(1_000)]})
    pyarrow.parquet.write_table(table, f"{bucket}/t.parquet", filesystem=files)
    assert pyarrow.parquet.read_table(f"{bucket}/t.parquet", filesystem=files, columns=["n"])["n"].to_pylist() == list(range(1_000))
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "b").write_bytes(b"b")
    pyarrow.fs.copy_files(str(tmp_path / "here"), f"{bucket}/synced", destination_filesystem=files)
    assert files.open_input_stream(f"{bucket}/synced/b").readall() == b"b"
    files.delete_file(f"{bucket}/moved.txt")
    assert files.get_file_info(f"{bucket}/moved.txt").type == pyarrow.fs.FileType.NotFound
    files.delete_dir(f"{bucket}/below")
    assert files.get_file_info(f"{bucket}/below/large").type == pyarrow.fs.FileType.NotFound


def test_pyarrow_as_a_client_of_s3(server, project, bucket, tmp_path):
    key, secret = tools.hmac_key(server, project)
    files = pyarrow.fs.S3FileSystem(
        access_key=key, secret_key=secret, endpoint_override=server.host, scheme="http", region="us-east-1",
        allow_bucket_creation=True, allow_bucket_deletion=True,
    )
    files.create_dir(bucket)
    assert [item.path for item in files.get_file_info(pyarrow.fs.FileSelector(""))] == [bucket]
    use(files, bucket, tmp_path)
    files.delete_dir_contents(bucket)
    assert names(files, bucket) == []
    files.delete_dir(bucket)
    assert files.get_file_info(pyarrow.fs.FileSelector("")) == []


def test_pyarrow_as_a_client_of_google(server, project, bucket, tmp_path):
    files = pyarrow.fs.GcsFileSystem(anonymous=True, endpoint_override=server.host, scheme="http", project_id=project)
    files.create_dir(bucket)
    use(files, bucket, tmp_path)


@pytest.fixture
def gcs(server, project, monkeypatch):
    """Without its extension for buckets with folders, which asks a gRPC service over TLS about every bucket."""
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    return GCSFileSystem(project=project, token="anon", skip_instance_cache=True, use_listings_cache=False)


def test_gcsfs(gcs, bucket, tmp_path):
    large = os.urandom(LARGE)
    gcs.mkdir(bucket)
    assert gcs.ls("") == [f"{bucket}/"]
    for name, content in (("a.txt", b"hello"), ("empty", b""), ("below/ä b+%.bin", b"x" * 70_000), ("below/large", large)):
        gcs.pipe_file(f"{bucket}/{name}", content)
        assert gcs.cat_file(f"{bucket}/{name}") == content, name
    with gcs.open(f"{bucket}/written", "wb", block_size=1 << 20) as file:
        file.write(large)
    with gcs.open(f"{bucket}/written", "rb") as file:
        file.seek(1_000)
        assert file.read(10) == large[1_000:1_010]
    assert set(gcs.find(bucket)) == {f"{bucket}/{name}" for name in ("a.txt", "empty", "below/ä b+%.bin", "below/large", "written")}
    assert gcs.info(f"{bucket}/a.txt")["size"] == 5 and gcs.isdir(f"{bucket}/below") and not gcs.exists(f"{bucket}/none")
    gcs.copy(f"{bucket}/a.txt", f"{bucket}/copy")
    gcs.mv(f"{bucket}/copy", f"{bucket}/moved")
    assert gcs.cat_file(f"{bucket}/moved") == b"hello" and not gcs.exists(f"{bucket}/copy")
    tools.write_tree(tmp_path / "here", {"b": b"b", "deep/c": b"c"})
    gcs.put(f"{tmp_path}/here/", f"{bucket}/synced/", recursive=True)
    gcs.get(f"{bucket}/synced/", f"{tmp_path}/back/", recursive=True)
    assert tools.tree(tmp_path / "back") == {"b": b"b", "deep/c": b"c"}
    gcs.rm(f"{bucket}/moved")
    gcs.rm(bucket, recursive=True)
    assert gcs.ls("") == []


def test_lists_that_open_a_bucket_are_refused_by_name(server, project, bucket):
    """gcsfs asks for private lists by default; those that open are its callers' wish."""
    url = f"{server.url}/storage/v1/b"
    for name, values in {
        "predefinedAcl": ["authenticatedRead", "publicRead", "publicReadWrite"],
        "predefinedDefaultObjectAcl": ["authenticatedRead", "publicRead"],
    }.items():
        for value in values:
            answer = requests.post(url, params={"project": project, name: value}, json={"name": bucket}, timeout=30)
            assert answer.status_code == 400 and f"{name}={value}" in answer.text
    for member in ("acl", "defaultObjectAcl"):
        opened = {"name": bucket, member: [{"entity": "allUsers", "role": "READER"}]}
        answer = requests.post(url, params={"project": project}, json=opened, timeout=30)
        assert answer.status_code == 400 and "allUsers" in answer.text
    assert requests.get(f"{url}?project={project}", timeout=30).json() == {"kind": "storage#buckets"}
    for value in ("private", "projectPrivate", "bucketOwnerFullControl", "bucketOwnerRead"):
        params = {"project": project, "predefinedAcl": "projectPrivate", "predefinedDefaultObjectAcl": value}
        made = requests.post(url, params=params, json={"name": f"{bucket}-{value.lower()}", "acl": []}, timeout=30)
        assert made.status_code == 200, made.text


def test_firedantic(server, project):
    class Chair(Model):
        __collection__ = "chairs"
        name: str
        price: float

    client = clients.connect(server, project)
    configure(client, prefix="")
    try:
        chair = Chair(name="Windsor", price=49.5)
        chair.save()
        Chair(name="Thonet", price=120).save()
        assert Chair.get_by_id(chair.id) == chair
        assert [found.name for found in Chair.find({"price": {">": 100}})] == ["Thonet"]
        chair.price = 60
        chair.save()
        assert sorted(found.price for found in Chair.find()) == [60, 120]
        chair.delete()
        assert [found.name for found in Chair.find()] == ["Thonet"]
    finally:
        client.close()

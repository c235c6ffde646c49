"""The command-line tools of S3 that people have, unmodified: aws, s3cmd and rclone."""

import os

import pytest

from support import storage_tools as tools

pytestmark = pytest.mark.brasa_only

# More than one part in all tools.
LARGE = 11 << 20


@pytest.fixture
def key(server, project):
    return tools.hmac_key(server, project)


@pytest.fixture
def bucket(project):
    return f"{project}-data"


@pytest.fixture
def folder(tmp_path):
    """Files as people have them: some empty, some with odd names, one of several parts."""
    return tools.write_tree(tmp_path / "here", {
        "a.txt": b"hello", "empty": b"", "below/ä b+%&.bin": os.urandom(70_000), "below/deep/large": os.urandom(LARGE),
    })


def test_aws(server, key, bucket, folder, tmp_path):
    aws = tools.aws(server, key, tmp_path)
    root = f"s3://{bucket}"
    aws("s3", "mb", root)
    assert aws("s3", "ls").split()[-1] == bucket
    aws("s3", "cp", folder / "a.txt", f"{root}/one")
    aws("s3", "sync", folder, f"{root}/tree")
    listed = aws("s3", "ls", "--recursive", f"{root}/").splitlines()
    assert {line.split(maxsplit=3)[3] for line in listed} == {"one"} | {f"tree/{name}" for name in tools.tree(folder)}
    aws("s3", "cp", f"{root}/one", f"{root}/copies/one")
    aws("s3", "mv", f"{root}/one", f"{root}/moved")
    assert aws("s3", "cp", f"{root}/moved", "-") == "hello"
    aws("s3", "sync", f"{root}/tree", tmp_path / "back")
    assert tools.tree(tmp_path / "back") == tools.tree(folder)
    (folder / "a.txt").unlink()
    assert aws("s3", "sync", "--delete", folder, f"{root}/tree").split() == ["delete:", f"{root}/tree/a.txt"]
    aws("s3", "rm", f"{root}/moved")
    aws("s3", "rb", "--force", root)
    assert "NoSuchBucket" in aws.run("s3", "ls", root, check=False).stderr


def test_s3cmd(server, key, bucket, folder, tmp_path):
    s3cmd = tools.s3cmd(server, key, tmp_path)
    root = f"s3://{bucket}"
    s3cmd("mb", root)
    assert s3cmd("ls").split()[-1] == root
    s3cmd("put", folder / "a.txt", f"{root}/one")
    s3cmd("--multipart-chunk-size-mb=5", "sync", f"{folder}/", f"{root}/tree/")
    assert "upload: " not in s3cmd("--no-check-md5", "sync", f"{folder}/", f"{root}/tree/")
    # With a slash and without: the bucket.
    for address in (root, f"{root}/"):
        assert {line.split()[-1] for line in s3cmd("ls", address).splitlines()} == {f"{root}/one", f"{root}/tree/"}
    names = {line.split(maxsplit=3)[3] for line in s3cmd("ls", "--recursive", root).splitlines()}
    assert names == {f"{root}/one"} | {f"{root}/tree/{name}" for name in tools.tree(folder)}
    assert "5d41402abc4b2a76b9719d911017c592" in s3cmd("ls", "--list-md5", f"{root}/one")
    assert f"{root}/ (bucket)" in s3cmd("info", root)
    s3cmd("cp", f"{root}/one", f"{root}/copy")
    s3cmd("mv", f"{root}/copy", f"{root}/moved")
    s3cmd("get", f"{root}/moved", tmp_path / "moved")
    assert (tmp_path / "moved").read_bytes() == b"hello"
    (tmp_path / "back").mkdir()
    s3cmd("sync", f"{root}/tree/", f"{tmp_path}/back/")
    assert tools.tree(tmp_path / "back") == tools.tree(folder)
    (folder / "a.txt").unlink()
    s3cmd("--delete-removed", "sync", f"{folder}/", f"{root}/tree/")
    assert f"{root}/tree/a.txt" not in s3cmd("ls", f"{root}/tree/")
    s3cmd("del", "--recursive", "--force", f"{root}/")
    s3cmd("rb", root)


def test_rclone(server, key, bucket, folder, tmp_path):
    rclone = tools.rclone(server, key, tmp_path)
    there = f"s3:{bucket}"
    parts = ("--s3-upload-cutoff", "5M", "--s3-chunk-size", "5M")
    rclone("mkdir", there)
    assert rclone("lsd", "s3:").split()[-1] == bucket
    rclone("copyto", folder / "a.txt", f"{there}/one")
    rclone("sync", *parts, folder, f"{there}/tree")
    assert "There was nothing to transfer" in rclone.run("sync", "-v", *parts, folder, f"{there}/tree").stderr
    # The hashes of what came in parts are metadata, those of the rest the tags.
    assert "0 differences found" in rclone.run("check", folder, f"{there}/tree").stderr
    assert set(rclone("lsf", "-R", "--files-only", f"{there}/tree").splitlines()) == set(tools.tree(folder))
    assert rclone("md5sum", f"{there}/one").split() == ["5d41402abc4b2a76b9719d911017c592", "one"]
    rclone("copyto", f"{there}/one", f"{there}/copy")
    rclone("moveto", f"{there}/copy", f"{there}/moved")
    assert rclone("cat", f"{there}/moved") == "hello"
    rclone("sync", f"{there}/tree", tmp_path / "back")
    assert tools.tree(tmp_path / "back") == tools.tree(folder)
    (folder / "a.txt").unlink()
    rclone("sync", folder, f"{there}/tree")
    assert "a.txt" not in rclone("lsf", f"{there}/tree")
    rclone("deletefile", f"{there}/one")
    rclone("purge", there)
    assert rclone("lsd", "s3:") == ""

"""Programs that work on buckets, which we did not write, and what points them at a server."""

import os
import pathlib
import shutil
import subprocess

import pytest
import requests

from support import secrets

# Debian's programs; another of the same name may be before them in the path.
DEBIAN = pathlib.Path("/usr/bin")


def program(name, package=None):
    """A program's path; the test is skipped where it is not installed, and says what installs it."""
    own = DEBIAN / name
    found = str(own) if own.exists() else shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed: apt-get install {package or name}")
    return found


def gcloud(server, project, home):
    """gcloud, pointed at a development server; the test is skipped loudly where it is not installed."""
    found = shutil.which("gcloud")
    if not found:
        pytest.skip("GCLOUD IS NOT INSTALLED: its commands are not tested, only its recorded requests. Install google-cloud-cli from Google.")
    (home / "token").write_text("owner")
    return Tool([found, "--quiet"], home, {
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_FIRESTORE": f"{server.url}/", "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE": f"{server.url}/storage/v1/",
        "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(home / "token"), "CLOUDSDK_CORE_PROJECT": project,
        "CLOUDSDK_CONFIG": str(home / "settings"), "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
        "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "1", "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "1",
        # It asks whether it runs on a machine of Google's, and waits for an answer.
        "NO_GCE_CHECK": "true", "CLOUDSDK_CORE_CHECK_GCE_METADATA": "false",
    })


def hmac_key(server, project, headers=None):
    """A new HMAC key of a project: its access id and its secret."""
    account = f"backend@{project}.iam.brasa"
    made = requests.post(
        f"{server.url}/storage/v1/projects/{project}/hmacKeys", params={"serviceAccountEmail": account},
        headers=headers, verify=server.authority, timeout=30,
    )
    assert made.status_code == 200, made.text
    return made.json()["metadata"]["accessId"], secrets.note(made.json()["secret"], "an HMAC key")


class Tool:
    """A program with its settings; every call runs in a home of its own and uses no settings of the machine's."""

    def __init__(self, command, home, environment):
        self.command = [str(part) for part in command]
        self.home = home
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "NO_PROXY": "127.0.0.1,localhost",
            **environment,
        }

    def run(self, *arguments, check=True, input=None):
        done = subprocess.run(
            [*self.command, *map(str, arguments)], env=self.environment, cwd=self.home, timeout=120,
            input=input, capture_output=True, text=True,
        )
        if check:
            assert done.returncode == 0, f"{' '.join(map(str, arguments))}\n{done.stdout}\n{done.stderr}"
        return done

    def __call__(self, *arguments, **options):
        return self.run(*arguments, **options).stdout


def aws(server, key, home):
    environment = {
        "AWS_ACCESS_KEY_ID": key[0], "AWS_SECRET_ACCESS_KEY": key[1], "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": "",
    }
    return Tool([program("aws", "awscli"), "--endpoint-url", server.url], home, environment)


def s3cmd(server, key, home):
    settings = home / "s3cmd.conf"
    settings.write_text(
        f"[default]\naccess_key = {key[0]}\nsecret_key = {key[1]}\nhost_base = {server.host}\n"
        f"host_bucket = {server.host}\nuse_https = False\nprogress_meter = False\n"
    )
    return Tool([program("s3cmd"), "-c", settings], home, {})


def rclone(server, key, home):
    settings = home / "rclone.conf"
    settings.write_text(
        f"[s3]\ntype = s3\nprovider = Other\nendpoint = {server.url}\naccess_key_id = {key[0]}\n"
        f"secret_access_key = {key[1]}\nregion = us-east-1\n"
        f"[gcs]\ntype = google cloud storage\nendpoint = {server.url}/storage/v1/\nanonymous = true\n"
        f"bucket_policy_only = true\nproject_number = {home.name}\n"
    )
    return Tool([program("rclone"), "--config", settings, "--retries", "1", "--low-level-retries", "1"], home, {})


def tree(folder):
    """The files below a folder: their bytes by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def write_tree(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder

"""A server with the protocol of S3 that we did not write, which checks every signature."""

import os
import socket
import subprocess
import sys
import threading

import boto3
from botocore.config import Config

from support import secrets


class Moto:
    """moto's server with one bucket and one key that may use it."""

    bucket = "files"
    region = "us-east-1"

    def __init__(self):
        # Actions without a check: making the bucket, the user, its policy and its key.
        environment = {**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": "4"}
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        self.url = self._url()
        root = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
        self._client("s3", **root).create_bucket(Bucket=self.bucket)
        iam = self._client("iam", **root)
        iam.create_user(UserName="brasa")
        policy = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'
        iam.put_user_policy(UserName="brasa", PolicyName="files", PolicyDocument=policy)
        key = iam.create_access_key(UserName="brasa")["AccessKey"]
        self.access_id, self.secret = key["AccessKeyId"], key["SecretAccessKey"]
        secrets.note(self.secret, "an S3 key")

    def _url(self):
        for line in self.process.stdout:
            if "Running on" in line:
                # Whoever writes a line a request must not wait for a reader.
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return line.split("Running on ")[1].split()[0]
        raise AssertionError("moto did not start")

    def _client(self, service, **keys):
        return boto3.client(
            service, endpoint_url=self.url, region_name=self.region,
            config=Config(s3={"addressing_style": "path"}), **keys,
        )

    def keys(self):
        client = self._client("s3", aws_access_key_id=self.access_id, aws_secret_access_key=self.secret)
        return [item["Key"] for item in client.list_objects_v2(Bucket=self.bucket).get("Contents", [])]

    def environment(self, **changes):
        made = {
            "BRASA_S3_ENDPOINT": self.url, "BRASA_S3_BUCKET": self.bucket, "BRASA_S3_REGION": self.region,
            "BRASA_S3_ACCESS_KEY_ID": self.access_id, "BRASA_S3_SECRET_ACCESS_KEY": self.secret,
        }
        made.update(changes)
        return made

    def close(self):
        self.process.terminate()
        self.process.wait(10)


class Valve:
    """The way to a server, which can be shut: connections stay open then, and nothing comes through."""

    def __init__(self, url):
        host, port = url.removeprefix("http://").split(":")
        self.target = (host, int(port))
        self.shut = threading.Event()
        # Set when something came that a shut valve kept.
        self.kept = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            self.sockets += [client, server]
            threading.Thread(target=self._pass, args=(client, server), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client), daemon=True).start()

    def _pass(self, source, target):
        try:
            while data := source.recv(65_536):
                if self.shut.is_set():
                    self.kept.set()
                else:
                    target.sendall(data)
        except OSError:
            pass
        if not self.shut.is_set():
            target.close()

    def close(self):
        for each in [self.listener, *self.sockets]:
            each.close()

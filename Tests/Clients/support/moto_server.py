"""A server of S3 for tests that are not Python's: says its address when it listens, and ends with its input."""

import logging
import sys

import boto3
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
boto3.client(
    "s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x",
).create_bucket(Bucket="files")
print(f"http://{host}:{port}", flush=True)
sys.stdin.read()

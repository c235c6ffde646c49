"""Functions as they are written for Firebase; test_functions.py deploys and calls them."""

import json
import os
import subprocess
import time
import urllib.request

from firebase_admin import auth, firestore, initialize_app, storage
from firebase_functions import https_fn, identity_fn, params

initialize_app()
GREETING = params.StringParam("GREETING", default="Hello")


@https_fn.on_request()
def echo(request: https_fn.Request) -> https_fn.Response:
    print("echo of", request.path)
    seen = {
        "method": request.method, "path": request.path, "query": request.args.to_dict(),
        "length": len(request.data), "headers": {name.lower(): value for name, value in request.headers.items()},
    }
    return https_fn.Response(json.dumps(seen), status=201, content_type="application/json")


@https_fn.on_request()
def parts(request: https_fn.Request) -> https_fn.Response:
    def body():
        for number in range(3):
            yield f"part {number}\n"

    return https_fn.Response(body())


@https_fn.on_call()
def greet(request: https_fn.CallableRequest):
    if not request.data.get("name"):
        raise https_fn.HttpsError(
            https_fn.FunctionsErrorCode.INVALID_ARGUMENT, "name is missing", {"field": "name"}
        )
    if request.app:
        raise https_fn.HttpsError(https_fn.FunctionsErrorCode.INTERNAL, "a forged App Check token counts")
    return {"text": f"{GREETING.value} {request.data['name']}", "uid": request.auth.uid if request.auth else None}


@https_fn.on_call()
def remember(request: https_fn.CallableRequest):
    """Uses the Admin SDK: documents, accounts and files."""
    document = firestore.client().document("made/one")
    document.set({"by": "function"})
    user = auth.create_user(display_name="Made by a function")
    blob = storage.bucket("made-here").blob("a.txt") if request.data else None
    if blob:
        blob.upload_from_string("from a function")
    return {"document": document.get().to_dict(), "name": auth.get_user(user.uid).display_name}


@https_fn.on_call()
def whose(request: https_fn.CallableRequest):
    """Verifies a token that came in the body."""
    try:
        return auth.verify_id_token(request.data["token"])["uid"]
    except auth.InvalidIdTokenError as error:
        return f"refused: {error}"


@https_fn.on_call()
def trespass(request: https_fn.CallableRequest):
    """Reads another project, which the function has no right to."""
    return firestore.Client(project=request.data["project"]).document("made/one").get().to_dict()


@https_fn.on_call(secrets=["API_KEY"])
def secretive(request: https_fn.CallableRequest):
    print("the key is", os.environ["API_KEY"])
    return len(os.environ["API_KEY"])


@https_fn.on_request(timeout_sec=3)
def never(request: https_fn.Request) -> https_fn.Response:
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    while True:
        time.sleep(0.1)


@https_fn.on_request()
def leave(request: https_fn.Request) -> https_fn.Response:
    os._exit(3)


@https_fn.on_request(memory=128)
def hungry(request: https_fn.Request) -> https_fn.Response:
    held = []
    while True:
        held.append(bytearray(os.urandom(1 << 20)))


@https_fn.on_request()
def forks(request: https_fn.Request) -> https_fn.Response:
    while True:
        subprocess.Popen(["sleep", "1000"])


@https_fn.on_request(timeout_sec=540)
def sockets(request: https_fn.Request) -> https_fn.Response:
    """Opens as many connections to its listener as it can, and says why it can't open more."""
    import socket

    host, port = os.environ["FIRESTORE_EMULATOR_HOST"].split(":")
    held = []
    try:
        while len(held) < 10_000:
            held.append(socket.create_connection((host, int(port)), timeout=300))
    except OSError as error:
        return https_fn.Response(json.dumps({"held": len(held), "error": error.errno}))
    return https_fn.Response(json.dumps({"held": len(held)}))


@https_fn.on_request()
def loud(request: https_fn.Request) -> https_fn.Response:
    line = "x" * 4095
    for _ in range(int(request.args["lines"])):
        print(line)
    return https_fn.Response("said")


@https_fn.on_request()
def snoop(request: https_fn.Request) -> https_fn.Response:
    """Tries what a function must not do, and says how it went."""
    done = {}
    for path in request.args["paths"].split(","):
        try:
            done[path] = os.listdir(path) if os.path.isdir(path) else open(path).read(10)
        except OSError as error:
            done[path] = type(error).__name__
    try:
        os.kill(int(request.args["server"]), 0)
        done["kill"] = "allowed"
    except OSError as error:
        done["kill"] = type(error).__name__
    try:
        import socket

        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(request.args["socket"])
        done["socket"] = "allowed"
    except OSError as error:
        done["socket"] = type(error).__name__
    return https_fn.Response(json.dumps(done))


@https_fn.on_request()
def listener(request: https_fn.Request) -> https_fn.Response:
    """The address of the instance's own listener, or what another instance's says."""
    address = request.args.get("address")
    if not address:
        return https_fn.Response(os.environ["FIRESTORE_EMULATOR_HOST"])
    try:
        text = urllib.request.urlopen(f"http://{address}/", timeout=5).read().decode()
    except Exception as error:
        text = type(error).__name__
    return https_fn.Response(text)


@https_fn.on_request()
def neighbour(request: https_fn.Request) -> https_fn.Response:
    return listener(request)


@identity_fn.before_user_created()
def before_created(event: identity_fn.AuthBlockingEvent) -> identity_fn.BeforeCreateResponse | None:
    if event.data.email and event.data.email.endswith("@evil.example"):
        raise https_fn.HttpsError(https_fn.FunctionsErrorCode.PERMISSION_DENIED, "no evil")
    return identity_fn.BeforeCreateResponse(display_name="Named", custom_claims={"plan": "gold"})


@identity_fn.before_user_signed_in()
def before_signed_in(event: identity_fn.AuthBlockingEvent) -> identity_fn.BeforeSignInResponse | None:
    return identity_fn.BeforeSignInResponse(session_claims={"shift": "night"})

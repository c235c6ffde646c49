"""Functions that Firebase's command line deploys; test_firebase_cli_functions.py sends its requests."""

import os

from firebase_functions import firestore_fn, https_fn, identity_fn, options, params, scheduler_fn, tasks_fn

PLACE = params.StringParam("PLACE", default="nowhere")
KEY = params.SecretParam("CLI_KEY")
VERSION = "one"


@https_fn.on_request()
def hello(request):
    return f"{VERSION} {PLACE.value} {request.path}"


@https_fn.on_request(invoker="private")
def kept(request):
    return "kept"


@https_fn.on_call(secrets=[KEY])
def locked(request):
    return KEY.value


@scheduler_fn.on_schedule(schedule="every 5 minutes", retry_count=2)
def swept(event):
    print("swept", os.environ["EVENTARC_CLOUD_EVENT_SOURCE"])


@tasks_fn.on_task_dispatched(retry_config=options.RetryConfig(max_attempts=5), rate_limits=options.RateLimits(max_concurrent_dispatches=6))
def queued(request):
    print("queued", request.data)


@firestore_fn.on_document_created(document="products/{id}")
def created(event):
    print("created", event.params["id"])


@identity_fn.before_user_signed_in()
def checked(event):
    return identity_fn.BeforeSignInResponse(session_claims={"checked": True})

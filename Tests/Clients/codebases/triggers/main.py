"""Functions that events, schedules and tasks call; test_functions_events.py deploys them and causes every event."""

import datetime

from firebase_admin import firestore, functions, initialize_app, storage
from firebase_functions import (
    eventarc_fn, firestore_fn, https_fn, options, pubsub_fn, remote_config_fn, scheduler_fn, storage_fn, tasks_fn,
)

initialize_app()


def note(kind, **seen):
    """Writes down what a function saw, where the test reads it."""
    firestore.client().collection("seen").document().set({"kind": kind, **seen})


@firestore_fn.on_document_created(document="products/{product}")
def created(event):
    note("created", product=event.params["product"], data=event.data.to_dict(), id=event.id)


@firestore_fn.on_document_updated(document="products/{product}")
def updated(event):
    note("updated", before=event.data.before.to_dict(), after=event.data.after.to_dict())


@firestore_fn.on_document_deleted(document="products/{product}")
def deleted(event):
    note("deleted", data=event.data.to_dict())


@firestore_fn.on_document_written_with_auth_context(document="products/{product}")
def written(event):
    note("written", auth=event.auth_type, existed=event.data.before is not None)


@firestore_fn.on_document_written(document="loops/{loop}")
def turning(event):
    """Writes the document that calls it."""
    firestore.client().document(f"loops/{event.params['loop']}").update({"n": firestore.Increment(1)})


@storage_fn.on_object_finalized(bucket="loops")
def copied(event):
    """Stores another file in the bucket that calls it."""
    storage.bucket("loops").blob(event.data.name + "x").upload_from_string("again")


@storage_fn.on_object_finalized(bucket="shop.appspot.com")
def stored(event):
    note("stored", name=event.data.name, size=event.data.size)


@storage_fn.on_object_deleted(bucket="shop.appspot.com")
def removed(event):
    note("removed", name=event.data.name)


@pubsub_fn.on_message_published(topic="orders")
def published(event):
    note("published", data=event.data.message.json, attributes=dict(event.data.message.attributes))


@remote_config_fn.on_config_updated()
def configured(event):
    note("configured", version=event.data.version_number)


@eventarc_fn.on_custom_event_published(event_type="com.example.paid")
def paid(event):
    note("paid", data=event.data)


@scheduler_fn.on_schedule(schedule="every 5 minutes", timezone="America/Sao_Paulo")
def swept(event):
    note("swept", name=event.job_name)


@tasks_fn.on_task_dispatched(retry_config=options.RetryConfig(max_attempts=3, min_backoff_seconds=0.1))
def resized(request):
    if request.data.get("fails"):
        document = firestore.client().document("attempts/resized")
        document.set({"n": firestore.Increment(1)}, merge=True)
        raise ValueError("this task fails")
    note("resized", data=request.data)


@https_fn.on_call()
def resize(request):
    """Enqueues by the Admin SDK, which sends the body that the function gets."""
    when = functions.TaskOptions(schedule_time=datetime.datetime.now(datetime.timezone.utc))
    return functions.task_queue("resized").enqueue({"data": request.data}, when)


@https_fn.on_request()
def page(request):
    """A page of a site that a rewrite leads to."""
    forged = [name for name in request.headers.keys() if name.lower().startswith("x-cloud")]
    return {"path": request.path, "x": request.args.get("x"), "forged": forged}

"""Functions for the console's pages: one that apps call, one that fails, one that a clock calls."""

from firebase_functions import firestore_fn, https_fn, scheduler_fn


@https_fn.on_call()
def greet(request):
    name = request.data["name"]
    print(f"greeting {name}")
    if name == "":
        raise RuntimeError("there is nobody to greet")
    return {"text": f"Bom dia {name}"}


@firestore_fn.on_document_created(document="orders/{order}")
def charge(event):
    print(f"charging {event.params['order']}")
    raise RuntimeError("the card was refused")


@scheduler_fn.on_schedule(schedule="every day 06:30", timezone="America/Sao_Paulo")
def sweep(event):
    print("swept the floor")

"""Tells a customer's device when the status of an order changes.

An order is a document orders/{order} with `email` and `status`; devices/{email} has the device's `token`.
"""

import json

from firebase_admin import firestore, initialize_app, messaging
from firebase_functions import firestore_fn

initialize_app()


@firestore_fn.on_document_updated(document="orders/{order}")
def notify(event):
    before, after = event.data.before.to_dict(), event.data.after.to_dict()
    if before.get("status") == after["status"]:
        return
    devices = firestore.client().collection("devices")
    device = devices.document(after["email"]).get()
    if not device.exists:
        print("no device of", after["email"])
        return
    order = {
        "infoReason": "Status de pedido", "orderID": int(event.params["order"]),
        "userEmail": after["email"], "newOrderStatus": after["status"],
    }
    message = messaging.Message(
        token=device.get("token"),
        notification=messaging.Notification(title="Provedor de Mensagens", body="Status do pedido"),
        data={"orderInfo": json.dumps(order)},
        android=messaging.AndroidConfig(priority="high"),
    )
    try:
        print("told a device:", messaging.send(message))
    except messaging.UnregisteredError:
        # The app was removed, or gave its token up.
        device.reference.delete()

"""The product list of the first seed system: what its app asks of the database."""

import pytest
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter


def product(user, name, code, price=10.5, **more):
    return {
        "userId": user,
        "name": name,
        "description": f"{name}, as the shop describes it",
        "code": code,
        "price": price,
        **more,
    }


def products_of(client, user):
    own = client.collection("products").where(filter=FieldFilter("userId", "==", user))
    return [snapshot.get("name") for snapshot in own.order_by("name").stream()]


def test_a_user_creates_edits_lists_and_deletes_products(client):
    products = client.collection("products")
    _, chair = products.add(product("ana", "Cadeira", "COD1"))
    _, table = products.add(product("ana", "Mesa", "COD2", imageId="5E0D-1"))
    products.add(product("bruno", "Armário", "COD3"))
    assert products_of(client, "ana") == ["Cadeira", "Mesa"]
    assert products_of(client, "bruno") == ["Armário"]

    chair.set(product("ana", "Poltrona", "COD1", price=99))
    assert products_of(client, "ana") == ["Mesa", "Poltrona"]
    assert chair.get().to_dict() == product("ana", "Poltrona", "COD1", price=99)

    table.update({"imageId": firestore.DELETE_FIELD, "price": 12.25})
    assert table.get().to_dict() == product("ana", "Mesa", "COD2", price=12.25)

    table.delete()
    assert not table.get().exists
    assert products_of(client, "ana") == ["Poltrona"]
    assert products_of(client, "bruno") == ["Armário"]


def test_an_added_product_gets_an_id_of_twenty_letters_and_digits(client):
    time, reference = client.collection("products").add(product("ana", "Mesa", "C"))
    assert len(reference.id) == 20 and reference.id.isalnum()
    snapshot = reference.get()
    assert snapshot.create_time == snapshot.update_time == time
    assert snapshot.read_time >= snapshot.update_time


def test_codes_need_not_be_unique(client):
    for name in ("Um", "Dois"):
        client.collection("products").add(product("ana", name, "SAME"))
    same = client.collection("products").where(filter=FieldFilter("code", "==", "SAME"))
    assert same.count().get()[0][0].value == 2


def test_names_are_listed_in_the_order_of_their_bytes(client):
    given = ["Ábaco", "abajur", "Zebra", "zebra", "Água", "Cadeira", "çedilha", "🪑", "\ufb01m"]
    batch = client.batch()
    for index, name in enumerate(given):
        batch.set(client.document(f"products/p{index}"), product("ana", name, "C"))
    batch.commit()
    assert products_of(client, "ana") == sorted(given, key=lambda name: name.encode())


def test_a_list_is_read_in_pages_of_twenty(client):
    batch = client.batch()
    for index in range(57):
        user = "ana" if index % 2 == 0 else "bruno"
        document = client.document(f"products/p{index:03}")
        batch.set(document, product(user, f"Produto {index:03}", f"C{index}", price=index))
    batch.commit()
    query = (
        client.collection("products")
        .where(filter=FieldFilter("userId", "==", "ana"))
        .order_by("name")
        .limit(20)
    )
    pages, last = [], None
    while True:
        page = query.start_after(last).get() if last else query.get()
        if not page:
            break
        pages.append([snapshot.id for snapshot in page])
        last = page[-1]
    assert [len(page) for page in pages] == [20, 9]
    assert sum(pages, []) == [f"p{index:03}" for index in range(0, 57, 2)]


def test_creating_a_product_twice_is_refused(client):
    document = client.document("products/p1")
    document.create(product("ana", "Mesa", "C"))
    with pytest.raises(exceptions.AlreadyExists) as refusal:
        document.create(product("bruno", "Mesa", "C"))
    assert refusal.value.grpc_status_code.name == "ALREADY_EXISTS"
    assert document.get().get("userId") == "ana"


@pytest.mark.emulator_differs("its texts name entities")
def test_editing_a_product_that_is_gone_is_refused(client):
    document = client.document("products/p1")
    with pytest.raises(exceptions.NotFound) as refusal:
        document.update({"name": "Mesa"})
    full_name = f"{client._database_string}/documents/products/p1"
    assert f"No document to update: {full_name}" in str(refusal.value)
    assert not document.get().exists
    document.delete()

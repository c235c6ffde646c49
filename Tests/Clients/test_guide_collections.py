"""The collections of the mapping guide: books, languages, offices, colours, articles."""

import datetime

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

UTC = datetime.timezone.utc
COVER = "https://covers.example/b/isbn/9780345391803"


def book(**more):
    return {
        "title": "The Hitchhiker's Guide to the Galaxy",
        "author": "Douglas Adams",
        "numberOfPages": 816,
        **more,
    }


BOOKS = {
    "hitchhiker": book(color="#a81c1c"),
    "hitchhiker-image-urls": book(
        cover={"small": f"{COVER}-S.jpg", "medium": f"{COVER}-M.jpg", "large": f"{COVER}-L.jpg"}
    ),
    "hitchhiker-genre": book(genres=["Sci-Fi", "Comedy"]),
    "hitchhiker-tags": book(
        tags=[{"title": "fun", "color": "#2ecc71"}, {"title": "series", "color": "#3498db"}]
    ),
    "invalid-data": {**book(), "numberOfPages": "twohundredfifty"},
}


@pytest.fixture
def books(client):
    for name, data in BOOKS.items():
        client.document(f"books/{name}").set(data)
    return client.collection("books")


def test_every_book_comes_back_as_written(books):
    found = {snapshot.id: snapshot.to_dict() for snapshot in books.stream()}
    assert found == BOOKS
    assert list(found) == sorted(BOOKS)
    pages = found["hitchhiker"]["numberOfPages"]
    assert type(pages) is int


def test_a_missing_book_is_told_apart_from_an_empty_one(books):
    missing = books.document("does-not-exist").get()
    assert not missing.exists and missing.to_dict() is None and missing.read_time is not None
    books.document("empty").set({})
    empty = books.document("empty").get()
    assert empty.exists and empty.to_dict() == {}


def test_a_book_of_the_wrong_type_is_served_and_filtered_by_type(books):
    short = books.where(filter=FieldFilter("numberOfPages", "<", 1000)).stream()
    assert [snapshot.id for snapshot in short] == [
        "hitchhiker",
        "hitchhiker-genre",
        "hitchhiker-image-urls",
        "hitchhiker-tags",
    ]
    assert books.document("invalid-data").get().get("numberOfPages") == "twohundredfifty"


def test_genres_and_tags_are_found_by_membership(books):
    by_genre = books.where(filter=FieldFilter("genres", "array_contains", "Comedy")).get()
    assert [snapshot.id for snapshot in by_genre] == ["hitchhiker-genre"]
    tag = {"color": "#3498db", "title": "series"}
    by_tag = books.where(filter=FieldFilter("tags", "array_contains", tag)).get()
    assert [snapshot.id for snapshot in by_tag] == ["hitchhiker-tags"]
    part_of_a_tag = books.where(filter=FieldFilter("tags", "array_contains", {"title": "fun"}))
    assert part_of_a_tag.get() == []


def test_genres_are_added_once_and_removed(books):
    document = books.document("hitchhiker-genre")
    document.update({"genres": firestore.ArrayUnion(["Classic", "Comedy", "Classic"])})
    assert document.get().get("genres") == ["Sci-Fi", "Comedy", "Classic"]
    document.update({"genres": firestore.ArrayRemove(["Sci-Fi", "Unknown"])})
    assert document.get().get("genres") == ["Comedy", "Classic"]


def test_a_cover_is_changed_by_its_path(books):
    document = books.document("hitchhiker-image-urls")
    document.update({"cover.small": "changed", "cover.large": firestore.DELETE_FIELD})
    assert document.get().get("cover") == {"small": "changed", "medium": f"{COVER}-M.jpg"}
    selected = document.get(field_paths=["cover.small", "title"])
    assert selected.to_dict() == {"cover": {"small": "changed"}, "title": book()["title"]}


def test_languages_have_custom_keys_and_years(client):
    languages = client.collection("programming-languages")
    years = {"BASIC": 1964, "Swift": 2014, "TypeScript": 2012}
    for name, year in years.items():
        languages.document(name.lower()).set(
            {"language_name": name, "year": datetime.datetime(year, 6, 2, 12, 30, 15, 123456, UTC)}
        )
    languages.document("ada").set({"name": "Ada", "year": datetime.datetime(1980, 1, 1, tzinfo=UTC)})
    ordered = languages.order_by("year").get()
    assert [snapshot.id for snapshot in ordered] == ["basic", "ada", "typescript", "swift"]
    assert ordered[-1].get("year") == datetime.datetime(2014, 6, 2, 12, 30, 15, 123456, UTC)
    named = languages.order_by("language_name").get()
    assert [snapshot.get("language_name") for snapshot in named] == ["BASIC", "Swift", "TypeScript"]


def test_offices_have_places(client):
    offices = {
        "uk": ("UK", 51.5332609, -0.126),
        "hamburg": ("Hamburg", 53.5535, 9.9846),
        "googleplex": ("Googleplex", 37.4221, -122.0853),
        "san-francisco": ("San Francisco", 37.7899, -122.3894),
        "new-york": ("New York", 40.7415, -74.0028),
    }
    collection = client.collection("locations")
    for key, (name, latitude, longitude) in offices.items():
        point = firestore.GeoPoint(latitude, longitude)
        collection.document(key).set({"name": name, "location": point})
    for key, (_, latitude, longitude) in offices.items():
        location = collection.document(key).get().get("location")
        assert (location.latitude, location.longitude) == (latitude, longitude)
    south_to_north = [snapshot.id for snapshot in collection.order_by("location").stream()]
    assert south_to_north == ["googleplex", "san-francisco", "new-york", "uk", "hamburg"]
    at = collection.where(filter=FieldFilter("location", ">", firestore.GeoPoint(40.7415, -80)))
    assert [snapshot.id for snapshot in at.stream()] == ["new-york", "uk", "hamburg"]


def test_colours_keep_their_text(client):
    colours = client.collection("colors")
    colours.add({"name": "Carmine Pink", "color": "#f05138"})
    colours.add({"name": "Cerise", "color": "#d52c67"})
    colours.add({"name": "", "color": "#00000080"})
    ordered = colours.order_by("name", direction=firestore.Query.DESCENDING).stream()
    assert [snapshot.get("color") for snapshot in ordered] == ["#d52c67", "#f05138", "#00000080"]


def test_articles_move_through_their_states(client):
    articles = client.collection("articles")
    states = ["draft", "in review", "approved", "published"]
    for index, status in enumerate(states):
        articles.document(f"a{index}").set({"title": f"Article {index}", "status": status})
    waiting = articles.where(filter=FieldFilter("status", "in", ["draft", "in review"])).stream()
    assert [snapshot.id for snapshot in waiting] == ["a0", "a1"]
    articles.document("a1").update({"status": "approved"})
    approved = articles.where(filter=FieldFilter("status", "==", "approved")).stream()
    assert [snapshot.id for snapshot in approved] == ["a1", "a2"]


def test_null_is_kept_apart_from_absence(client):
    books = client.collection("books")
    books.document("null").set({"title": None})
    books.document("absent").set({"other": 1})
    books.document("text").set({"title": ""})
    nulls = books.where(filter=FieldFilter("title", "==", None)).stream()
    assert [snapshot.id for snapshot in nulls] == ["null"]
    others = books.where(filter=FieldFilter("title", "!=", None)).stream()
    assert [snapshot.id for snapshot in others] == ["text"]
    assert [snapshot.id for snapshot in books.order_by("title").stream()] == ["null", "text"]


def test_the_server_stamps_the_time(client):
    article = client.document("articles/a")
    result = article.set({"title": "T", "written": firestore.SERVER_TIMESTAMP})
    written = article.get().get("written")
    assert written.nanosecond % 1_000_000 == 0
    age = result.update_time - written
    assert datetime.timedelta(0) <= age < datetime.timedelta(seconds=60)

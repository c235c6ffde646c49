import BaseText
import DocumentCodec
import FirebaseFirestore
import FirestoreModel
import FirestoreSync
import Foundation
import Testing

private typealias Instant = FirestoreModel.Timestamp
private typealias Point = FirebaseFirestore.GeoPoint

/// Tests of the values that apps read from a document.
struct DocumentSnapshotTests {
  private let metadata = SnapshotMetadata(hasPendingWrites: true, isFromCache: false)
  private let reference = Coding.document("people/ana")

  private func snapshot(_ entries: [(Text, Value)]?) -> DocumentSnapshot {
    let document = entries.map { entries in
      let map = MapValue(entries.map { MapValue.Entry(key: $0, value: $1) })
      return CachedDocument(
        name: reference.name,
        content: .found(DocumentFields(encoding: map))
      )
    }
    return DocumentSnapshot(reference, document, metadata)
  }

  @Test func `values are the objects that apps expect`() throws {
    let instant = try #require(Instant(seconds: 5, nanos: 7_000))
    let data = try #require(
      snapshot([
        ("null", .null), ("flag", .boolean(true)), ("int", .integer(3)), ("real", .double(2.5)),
        ("time", .timestamp(instant)), ("text", .string("abc")), ("bytes", .bytes([1, 2])),
        ("reference", .reference(reference.name)),
        ("point", .geoPoint(FirestoreModel.GeoPoint(latitude: 1, longitude: 2))),
        ("list", .array([.integer(1), .string("x")])),
        ("map", .map(MapValue([.init(key: "a", value: .integer(1))]))),
        ("vector", .vector([1, 2])),
      ]).data()
    )
    #expect(data["null"] is NSNull)
    #expect(data["flag"] as? Bool == true && data["int"] as? Bool == nil)
    #expect(data["int"] as? Int == 3 && data["int"] as? Int64 == 3 && data["int"] as? Double == 3)
    #expect(data["real"] as? Double == 2.5 && data["real"] as? NSNumber == 2.5)
    #expect(
      data["time"] as? FirebaseCore.Timestamp
        == FirebaseCore.Timestamp(seconds: 5, nanoseconds: 7_000)
    )
    #expect(data["text"] as? String == "abc" && data["bytes"] as? Data == Data([1, 2]))
    #expect(data["reference"] as? DocumentReference == reference)
    #expect(data["point"] as? Point == Point(latitude: 1, longitude: 2))
    #expect((data["list"] as? [Any])?.first as? Int == 1)
    #expect((data["map"] as? [String: Any])?["a"] as? Int == 1)
    #expect(data["vector"] as? VectorValue == VectorValue([1, 2]))
  }

  @Test func `fields are found by name, dotted path and field path`() {
    let inner = MapValue([.init(key: "b", value: .integer(1)), .init(key: "null", value: .null)])
    let found = snapshot([("a", .map(inner)), ("a.b", .integer(2))])
    #expect(found.get("a.b") as? Int == 1)
    #expect(found[FirebaseFirestore.FieldPath(["a.b"])] as? Int == 2)
    #expect(found[FirebaseFirestore.FieldPath(["a", "b"])] as? Int == 1)
    #expect(found.get("c") == nil && found["a.c"] == nil)
    #expect(found["a.null"] is NSNull)
  }

  @Test func `pending times are null, estimated or what was before`() throws {
    let estimate = try #require(Instant(seconds: 9, nanos: 0))
    let pending = PendingServerTimestamp(localWriteTime: estimate, replacing: .integer(1))
    let found = snapshot([("t", pending.value), ("n", .integer(1))])
    #expect(found.data()?["t"] is NSNull && found.get("t") is NSNull)
    let time = FirebaseCore.Timestamp(seconds: 9, nanoseconds: 0)
    #expect(found.data(with: .estimate)?["t"] as? FirebaseCore.Timestamp == time)
    #expect(found.get("t", serverTimestampBehavior: .previous) as? Int == 1)
    struct Model: Codable { var t: Date }
    #expect(try found.data(as: Model.self, with: .estimate).t == time.dateValue())
    let failure = Coding.failure { _ = try found.data(as: Model.self) }
    #expect(failure?.hasPrefix("valueNotFound t: ") == true)
  }

  @Test func `a missing document has no data`() throws {
    struct Model: Codable { @DocumentID var id: String? }
    let missing = snapshot(nil)
    #expect(!missing.exists && missing.data() == nil && missing.get("a") == nil)
    #expect(missing.documentID == "ana" && missing.metadata.hasPendingWrites)
    #expect(
      Coding.failure { _ = try missing.data(as: Model.self) }?.hasPrefix("valueNotFound") == true
    )
    #expect(try missing.data(as: Model?.self) == nil)
    #expect(try snapshot([]).data(as: Model.self).id == "ana")
  }

  @Test func `snapshots are equal by what they show`() {
    #expect(snapshot([("a", .integer(1))]) == snapshot([("a", .integer(1))]))
    #expect(snapshot([("a", .integer(1))]) != snapshot([("a", .double(1))]))
    #expect(snapshot(nil) != snapshot([]))
  }
}

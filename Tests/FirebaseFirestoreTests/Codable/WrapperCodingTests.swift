import FirebaseFirestore
import Foundation
import Testing

import class FirebaseCore.Timestamp

/// A text that is a server's time: an app's own wrappable type.
extension String: ServerTimestampWrappable {
  private static var style: Date.ISO8601FormatStyle {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  }

  /// The time as text.
  public static func wrap(_ timestamp: Timestamp) throws -> String {
    style.format(timestamp.dateValue())
  }

  /// The text as a time.
  public static func unwrap(_ value: String) throws -> Timestamp {
    Timestamp(date: try style.parse(value))
  }
}

/// `@DocumentID`, `@ServerTimestamp`, `@ExplicitNull`.
struct WrapperCodingTests {
  private struct Timed<Value: ServerTimestampWrappable & Codable & Hashable>: Codable, Hashable {
    @ServerTimestamp var x: Value?
  }
  private struct Nulled: Codable, Hashable { @ExplicitNull var x: Int? }
  private struct Named: Codable, Hashable {
    var name: String
    @DocumentID var id: String?
  }
  private struct Referenced: Codable, Hashable { @DocumentID var id: DocumentReference? }

  @Test func `a server's time is asked for, told, or pending`() throws {
    let time = Timestamp(seconds: 123, nanoseconds: 4_000)
    let asked = try Coding.encode(Timed<Timestamp>())
    #expect(Coding.equal(asked, ["x": FieldValue.serverTimestamp()]))
    try Coding.expectRoundTrip(Timed(x: time), ["x": time])
    let pending: Timed<Timestamp> = try Coding.decode(["x": NSNull()])
    #expect(pending.x == nil)
    let missing = Coding.failure { let _: Timed<Timestamp> = try Coding.decode([:]) }
    #expect(missing == "keyNotFound x: No value associated with key x.")
  }

  @Test func `a server's time may be a date`() throws {
    let date = Date(timeIntervalSince1970: 123)
    #expect(Coding.equal(try Coding.encode(Timed<Date>()), ["x": FieldValue.serverTimestamp()]))
    try Coding.expectRoundTrip(Timed(x: date), ["x": Timestamp(date: date)])
  }

  @Test func `a server's time may be an app's own type`() throws {
    let text = "1970-01-01T00:00:02.500Z"
    try Coding.expectRoundTrip(
      Timed(x: text),
      ["x": Timestamp(seconds: 2, nanoseconds: 500_000_000)]
    )
    let ragged = try Coding.encode(Timed(x: "2017-07-14T02:40:00.123Z"))["x"] as? Timestamp
    #expect(ragged == Timestamp(seconds: 1_500_000_000, nanoseconds: 123_000_144))
    #expect(throws: (any Error).self) { try Coding.encode(Timed(x: "yesterday")) }
  }

  @Test func `explicit null is stored`() throws {
    try Coding.expectRoundTrip(Nulled(x: nil), ["x": NSNull()])
    try Coding.expectRoundTrip(Nulled(x: 3), ["x": 3])
    let missing = Coding.failure { let _: Nulled = try Coding.decode([:]) }
    #expect(missing == "keyNotFound x: No value associated with key x.")
  }

  @Test func `a document's id comes from its reference and is not stored`() throws {
    let reference = Coding.document("people/ana")
    let named: Named = try Coding.decode(["name": "Ana"], in: reference)
    #expect(named.id == "ana" && named.name == "Ana")
    let referenced: Referenced = try Coding.decode([:], in: reference)
    #expect(referenced.id == reference)
    #expect(Coding.equal(try Coding.encode(named), ["name": "Ana"]))
    #expect(Coding.equal(try Coding.encode(Named(name: "Bia", id: "set")), ["name": "Bia"]))
    let conflict: Named = try Coding.decode(["name": "Ana", "id": 42], in: reference)
    #expect(conflict.id == "ana")
    let unnamed = Coding.failure { let _: Named = try Coding.decode(["name": "Ana"]) }
    #expect(unnamed == "decodingIsNotSupported")
    let json = Coding.failure {
      _ = try JSONDecoder().decode(Named.self, from: Data(#"{"name":"Ana","id":"x"}"#.utf8))
    }
    #expect(json == "decodingIsNotSupported")
  }

  @Test func `nested documents' ids are the outer document's`() throws {
    struct List: Codable { var items: [Named] }
    let list: List = try Coding.decode(
      ["items": [["name": "a"], ["name": "b"]]],
      in: Coding.document("lists/one")
    )
    #expect(list.items.map(\.id) == ["one", "one"])
  }

  @Test func `a document's id is decoded by hand`() throws {
    struct Hand: Decodable {
      let id: String?
      enum CodingKeys: String, CodingKey { case id }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(DocumentID<String>.self, forKey: .id).wrappedValue
      }
    }
    let hand: Hand = try Coding.decode([:], in: Coding.document("a/b"))
    #expect(hand.id == "b")
  }

  @Test func `wrapped values are keys of dictionaries`() {
    #expect([Named(name: "a", id: "1"): 1][Named(name: "a", id: "1")] == 1)
    let reference = Coding.document("a/b")
    #expect([Referenced(id: reference): 1][Referenced(id: Coding.document("a/b"))] == 1)
    #expect([Nulled(x: 1): 1][Nulled(x: 2)] == nil)
    let time = Timestamp(seconds: 1, nanoseconds: 2)
    let copy = time.copy() as? Timestamp
    #expect([Timed(x: time): 1][Timed(x: copy)] == 1)
    let date = Date(timeIntervalSince1970: 1)
    #expect([Timed(x: date): 1][Timed(x: date)] == 1)
  }
}

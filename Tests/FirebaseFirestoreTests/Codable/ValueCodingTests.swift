import FirebaseFirestore
import Foundation
import Testing

import class FirebaseCore.Timestamp

/// Firestore's own values, dates and bytes.
struct ValueCodingTests {
  private struct Model<Value: Codable & Equatable>: Codable, Equatable { var x: Value }
  private struct Change: Encodable { var x: FieldValue }

  @Test func `Firestore's values stay the objects that they are`() throws {
    let point = GeoPoint(latitude: 1, longitude: -2.5)
    try Coding.expectRoundTrip(Model(x: point), ["x": point])
    let time = Timestamp(seconds: 5, nanoseconds: 7)
    try Coding.expectRoundTrip(Model(x: time), ["x": time])
    let reference = Coding.document("a/b")
    try Coding.expectRoundTrip(Model(x: reference), ["x": reference])
    let vector = VectorValue([1, 2.5])
    try Coding.expectRoundTrip(Model(x: vector), ["x": vector])
    try Coding.expectRoundTrip(Model(x: [time]), ["x": [time]])
    try Coding.expectRoundTrip(Model<GeoPoint?>(x: point), ["x": point])
    let encoded = try Coding.encode(Model(x: point))["x"]
    #expect(encoded as? GeoPoint === point)
  }

  @Test func `stored maps are taken for values by their members`() throws {
    let point: Model<GeoPoint> = try Coding.decode(["x": ["latitude": 1, "longitude": 2]])
    #expect(point.x == GeoPoint(latitude: 1, longitude: 2))
    let time: Model<Timestamp> = try Coding.decode(["x": ["seconds": 1, "nanoseconds": 2]])
    #expect(time.x == Timestamp(seconds: 1, nanoseconds: 2))
    let outside = Coding.failure {
      let _: Model<GeoPoint> = try Coding.decode(["x": ["latitude": 91, "longitude": 2]])
    }
    #expect(outside?.hasPrefix("dataCorrupted x: GeoPoint requires a latitude value") == true)
  }

  @Test func `dates are timestamps`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    try Coding.expectRoundTrip(Model(x: date), ["x": Timestamp(date: date)])
    let fromMap: Model<Date> = try Coding.decode(["x": ["seconds": 978_307_200, "nanoseconds": 0]])
    #expect(fromMap.x == date)
    for stored in [978_307_200, "2001-01-01T00:00:00Z"] as [Any] {
      let failure = Coding.failure { let _: Model<Date> = try Coding.decode(["x": stored]) }
      #expect(failure?.hasPrefix("typeMismatch x: ") == true)
    }
  }

  @Test(arguments: [Double.nan, -63_000_000_000, 253_402_300_800])
  func `dates that no timestamp has are errors`(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    let expected = "invalidValue: Timestamp seconds out of range: \(seconds)"
    #expect(Coding.failure { _ = try Coding.encode(Model(x: date)) } == expected)
    #expect(Coding.failure { _ = try Date.unwrap(date) } == expected)
  }

  @Test func `long lists and wide maps are whole`() throws {
    let list = Array(0..<20_000)
    let encoded = try Coding.encode(Model(x: list))["x"]
    #expect(encoded as? [Int] == list)
    let map = Dictionary(uniqueKeysWithValues: list.map { ("\($0)", $0) })
    #expect(try Coding.encode(map) as? [String: Int] == map)
  }

  @Test func `dates follow other strategies`() throws {
    let date = Date(timeIntervalSince1970: 1_000.5)
    let formatter = DateFormatter()
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.locale = Locale(identifier: "en_US_POSIX")
    let cases:
      [(FirebaseDataEncoder.DateEncodingStrategy, FirebaseDataDecoder.DateDecodingStrategy, Any)] =
        [
          (.secondsSince1970, .secondsSince1970, 1_000.5),
          (.millisecondsSince1970, .millisecondsSince1970, 1_000_500),
          (.formatted(formatter), .formatted(formatter), "1970-01-01 00:16:40.500"),
          (.deferredToDate, .deferredToDate, date.timeIntervalSinceReferenceDate),
        ]
    for (encoding, decoding, stored) in cases {
      let encoder = Firestore.Encoder()
      encoder.dateEncodingStrategy = encoding
      let encoded = try encoder.encode(Model(x: date))
      #expect(Coding.equal(encoded, ["x": stored]), "\(encoded)")
      let decoder = Firestore.Decoder()
      decoder.dateDecodingStrategy = decoding
      #expect(try decoder.decode(Model<Date>.self, from: encoded).x == date)
    }
    let encoder = Firestore.Encoder()
    encoder.dateEncodingStrategy = .iso8601
    let whole = Date(timeIntervalSince1970: 1_000)
    let encoded = try encoder.encode(Model(x: whole))
    #expect(encoded["x"] as? String == "1970-01-01T00:16:40Z")
    let decoder = Firestore.Decoder()
    decoder.dateDecodingStrategy = .iso8601
    #expect(try decoder.decode(Model<Date>.self, from: encoded).x == whole)
  }

  @Test func `data is bytes, and base 64 is read too`() throws {
    try Coding.expectRoundTrip(Model(x: Data([1, 2, 255])), ["x": Data([1, 2, 255])])
    try Coding.expectRoundTrip(Model(x: Data()), ["x": Data()])
    let text: Model<Data> = try Coding.decode(["x": "AQL/"])
    #expect(text.x == Data([1, 2, 255]))
    let encoder = Firestore.Encoder()
    encoder.dataEncodingStrategy = .base64
    #expect(try encoder.encode(Model(x: Data([1, 2, 255])))["x"] as? String == "AQL/")
    let failure = Coding.failure { let _: Model<Data> = try Coding.decode(["x": 3]) }
    #expect(failure?.hasPrefix("typeMismatch x: ") == true)
  }

  @Test func `a field value passes through`() throws {
    let encoded = try Coding.encode(Change(x: .delete()))
    #expect(Coding.equal(encoded, ["x": FieldValue.delete()]))
  }

  @Test func `other coders refuse references and field values`() {
    let encoder = JSONEncoder()
    let reference = Coding.failure { _ = try encoder.encode(Model(x: Coding.document("a/b"))) }
    #expect(reference == "encodingIsNotSupported")
    let change = Coding.failure { _ = try encoder.encode(Change(x: .delete())) }
    #expect(change == "encodingIsNotSupported")
    let id = Coding.failure {
      _ = try encoder.encode(DocumentID(wrappedValue: Coding.document("a/b")))
    }
    #expect(id == "encodingIsNotSupported")
    let decoded = Coding.failure {
      _ = try JSONDecoder().decode(Model<DocumentReference>.self, from: Data(#"{"x":{}}"#.utf8))
    }
    #expect(decoded == "decodingIsNotSupported")
  }

  @Test func `points and vectors have a JSON of their own`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let point = GeoPoint(latitude: 37, longitude: -122)
    let data = try encoder.encode(point)
    #expect(String(decoding: data, as: UTF8.self) == #"{"latitude":37,"longitude":-122}"#)
    #expect(try JSONDecoder().decode(GeoPoint.self, from: data) == point)
    #expect([point: 1][GeoPoint(latitude: 37, longitude: -122)] == 1)
    let vector = try encoder.encode(VectorValue([1, 2]))
    #expect(String(decoding: vector, as: UTF8.self) == #"{"array":[1,2]}"#)
    #expect(try JSONDecoder().decode(VectorValue.self, from: vector) == VectorValue([1, 2]))
  }
}

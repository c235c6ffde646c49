import FirebaseFirestore
import Foundation
import Testing

import class FirebaseCore.Timestamp

/// Numbers, texts, optionals, and what is refused.
struct ScalarCodingTests {
  private struct Number: Codable, Equatable { var x: Int }
  private struct Small: Codable, Equatable { var x: Int8 }
  private struct Flag: Codable, Equatable { var x: Bool }
  private struct Real: Codable, Equatable { var x: Double }
  private struct Short: Codable, Equatable { var x: Float }
  private struct Maybe: Codable, Equatable { var x: Int? }
  private struct Word: Codable, Equatable { var x: String }
  private struct Empty: Codable, Equatable {}
  private struct Link: Codable, Equatable { var x: URL }
  private struct Price: Codable, Equatable { var x: Decimal }

  private struct Wide: Codable, Equatable {
    var x: String
    var isTrue: Bool
    var real: Double
    var short: Float
    var negative: Double
    var long: Int64
    var int: Int
    var int16: Int16
    var int8: Int8
    var uint8: UInt8
    var numbers: [Int]
    var words: [String]
    var caseSensitive: String
    var casesensitive: String
    var CASESENSITIVE: String
  }

  @Test func `scalars are fields and come back`() throws {
    try Coding.expectRoundTrip(Number(x: 42), ["x": 42])
    try Coding.expectRoundTrip(Word(x: "abc"), ["x": "abc"])
    try Coding.expectRoundTrip(Flag(x: true), ["x": true])
    try Coding.expectRoundTrip(Real(x: 2), ["x": 2])
    try Coding.expectRoundTrip(Empty(), [:])
    try Coding.expectRoundTrip(Small(x: -128), ["x": -128])
    try Coding.expectRoundTrip(
      Link(x: try #require(URL(string: "https://x.example/a?b=c"))),
      ["x": "https://x.example/a?b=c"]
    )
    let price = try Coding.encode(Price(x: 12.5))
    #expect((price["x"] as? NSDecimalNumber)?.decimalValue == 12.5)
    #expect(try Coding.decode(price, as: Price.self) == Price(x: 12.5))
  }

  @Test func `a wide struct comes back whole`() throws {
    let value = Wide(
      x: "x",
      isTrue: false,
      real: 43,
      short: -45.25,
      negative: -44,
      long: 1 << 40,
      int: -9,
      int16: 160,
      int8: 8,
      uint8: 255,
      numbers: [1, 2],
      words: ["a", "b"],
      caseSensitive: "one",
      casesensitive: "two",
      CASESENSITIVE: "three"
    )
    let fields: [String: Any] = [
      "x": "x", "isTrue": false, "real": 43, "short": -45.25, "negative": -44, "long": 1 << 40,
      "int": -9, "int16": 160, "int8": 8, "uint8": 255, "numbers": [1, 2], "words": ["a", "b"],
      "caseSensitive": "one", "casesensitive": "two", "CASESENSITIVE": "three",
    ]
    try Coding.expectRoundTrip(value, fields)
  }

  @Test func `nil is no field`() throws {
    try Coding.expectRoundTrip(Maybe(x: nil), [:])
    try Coding.expectRoundTrip(Maybe(x: 3), ["x": 3])
    let null: Maybe = try Coding.decode(["x": NSNull()])
    #expect(null.x == nil)
  }

  @Test func `native numbers and NSNumbers are the same`() throws {
    let numbers: [Any] = [
      3, Int64(3), UInt8(3), 3.0, Float(3), NSNumber(value: 3), NSNumber(value: 3.0),
    ]
    for number in numbers {
      let decoded: Number = try Coding.decode(["x": number])
      #expect(decoded.x == 3)
      let real: Real = try Coding.decode(["x": number])
      #expect(real.x == 3)
    }
    let encoded = try Coding.encode(Number(x: 1))["x"]
    #expect(encoded as? Int == 1 && encoded as? Int64 == 1 && encoded as? Double == 1)
    let flag = try Coding.encode(Flag(x: true))["x"]
    #expect(flag as? Bool == true && (flag as? NSNumber)?.boolValue == true)
  }

  @Test func `truth is no number and a number is no truth`() {
    for value in [true, NSNumber(value: true)] as [Any] {
      #expect(
        failure(value, Number.self)
          == "typeMismatch x: Expected to decode Int but found a number instead."
      )
    }
    for value in [1, NSNumber(value: 1), 0] as [Any] {
      #expect(
        failure(value, Flag.self)
          == "typeMismatch x: Expected to decode Bool but found a number instead."
      )
    }
  }

  private func failure<T: Decodable>(_ value: Any, _ type: T.Type) -> String? {
    Coding.failure { let _: T = try Coding.decode(["x": value]) }
  }

  @Test func `numbers must fit`() {
    let refusal = "dataCorrupted x: Parsed JSON number"
    #expect(failure(1.5, Number.self) == "\(refusal) <1.5> does not fit in Int.")
    #expect(failure(128, Small.self) == "\(refusal) <128> does not fit in Int8.")
    #expect(failure(-129, Small.self) == "\(refusal) <-129> does not fit in Int8.")
    #expect(failure(UInt64.max, Number.self)?.hasPrefix(refusal) == true)
    #expect(failure(1e300, Short.self)?.hasPrefix(refusal) == true)
    #expect(failure(1.5, Maybe.self)?.hasPrefix(refusal) == true)
  }

  @Test func `other kinds are told apart`() {
    let text = "typeMismatch x: Expected to decode Int but found"
    #expect(failure("3", Number.self) == "\(text) a string/data instead.")
    #expect(failure([3], Number.self) == "\(text) an array instead.")
    #expect(failure(["y": 3], Number.self) == "\(text) a dictionary instead.")
    #expect(failure("3", Maybe.self) == "\(text) a string/data instead.")
    #expect(failure(true, Maybe.self) == "\(text) a number instead.")
    #expect(
      failure(NSNull(), Number.self)
        == "valueNotFound x: Expected Int value but found null instead."
    )
    #expect(failure("", Link.self) == "dataCorrupted x: Invalid URL string.")
    let missing = Coding.failure { let _: Number = try Coding.decode([:]) }
    #expect(missing == "keyNotFound x: No value associated with key x.")
  }

  @Test func `only dictionaries are documents`() throws {
    func refusal(_ value: some Encodable) -> String? {
      Coding.failure { _ = try Coding.encode(value) }
    }
    #expect(refusal([1, 2]) == "invalidValue: Top-level Array<Int> is not allowed.")
    #expect(refusal("text") == "invalidValue: Top-level String is not allowed.")
    #expect(refusal(3) == "invalidValue: Top-level Int is not allowed.")
    #expect(refusal(Date()) == "invalidValue: Top-level Date is not allowed.")
    #expect(refusal(FieldValue.delete()) == "invalidValue: Top-level FieldValue is not allowed.")
    #expect(
      refusal(Coding.document("a/b")) == "invalidValue: Top-level DocumentReference is not allowed."
    )
    #expect(refusal(["a": 1]) == nil)
  }

  @Test func `numbers that are not finite need a strategy`() throws {
    #expect(
      Coding.failure { _ = try Coding.encode(Real(x: .nan)) }?.hasPrefix("invalidValue") == true
    )
    let encoder = Firestore.Encoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+",
      negativeInfinity: "-",
      nan: "?"
    )
    let decoder = Firestore.Decoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+",
      negativeInfinity: "-",
      nan: "?"
    )
    for (number, text) in [(Double.infinity, "+"), (-.infinity, "-")] {
      let encoded = try encoder.encode(Real(x: number))
      #expect(encoded["x"] as? String == text)
      #expect(try decoder.decode(Real.self, from: encoded).x == number)
      #expect(try decoder.decode(Short.self, from: encoded).x == Float(number))
    }
    #expect(try decoder.decode(Real.self, from: encoder.encode(Real(x: .nan))).x.isNaN)
  }
}

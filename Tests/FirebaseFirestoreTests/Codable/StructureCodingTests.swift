import FirebaseFirestore
import Foundation
import Testing

import class FirebaseCore.Timestamp

/// Nested values, hand-written coding, keys and strategies.
struct StructureCodingTests {
  private struct Inner: Codable, Equatable { var value: Int }

  private struct Outer: Codable, Equatable {
    var inner: Inner
    var list: [Inner]
    var byName: [String: Inner]
    var byNumber: [Int: String]
    var optional: [Int?]
  }

  @Test func `structs nest in structs, arrays and dictionaries`() throws {
    let value = Outer(
      inner: Inner(value: 1),
      list: [Inner(value: 2), Inner(value: 3)],
      byName: ["one_two": Inner(value: 4)],
      byNumber: [7: "seven"],
      optional: [1, nil]
    )
    let fields: [String: Any] = [
      "inner": ["value": 1], "list": [["value": 2], ["value": 3]],
      "byName": ["one_two": ["value": 4]], "byNumber": ["7": "seven"],
      "optional": [1, NSNull()] as [Any],
    ]
    try Coding.expectRoundTrip(value, fields)
    let failure = Coding.failure {
      var wrong = fields
      wrong["list"] = [["value": 2], ["value": "3"]] as [[String: Any]]
      let _: Outer = try Coding.decode(wrong)
    }
    #expect(
      failure
        == "typeMismatch list/Index 1/value: Expected to decode Int but found a string/data instead."
    )
  }

  private enum Either: Codable, Equatable {
    case number(Int)
    case text(String)
    case time(Timestamp)

    enum CodingKeys: String, CodingKey {
      case number
      case text
      case time
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if let number = try? container.decode(Int.self, forKey: .number) {
        self = .number(number)
      } else if let text = try? container.decode(String.self, forKey: .text) {
        self = .text(text)
      } else {
        self = .time(try container.decode(Timestamp.self, forKey: .time))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .number(let number): try container.encode(number, forKey: .number)
      case .text(let text): try container.encode(text, forKey: .text)
      case .time(let time): try container.encode(time, forKey: .time)
      }
    }
  }

  @Test func `a probe that fails leaves the container usable`() throws {
    let time = Timestamp(seconds: 12, nanoseconds: 34)
    try Coding.expectRoundTrip(Either.number(42), ["number": 42])
    try Coding.expectRoundTrip(Either.text("abc"), ["text": "abc"])
    try Coding.expectRoundTrip(Either.time(time), ["time": time])
    let wrongKind: Either = try Coding.decode(["number": "42", "text": "abc"])
    #expect(wrongKind == .text("abc"))
  }

  private struct Some: Codable, Equatable {
    var kept: Int
    var left = 100

    enum CodingKeys: String, CodingKey { case kept }
  }

  @Test func `what has no key keeps its default`() throws {
    try Coding.expectRoundTrip(Some(kept: 1), ["kept": 1])
    #expect(try Coding.encode(Some(kept: 1, left: 7)).keys.sorted() == ["kept"])
  }

  private struct Flat: Codable, Equatable {
    var name: String
    var city: String
    var numbers: [Int]

    enum CodingKeys: String, CodingKey {
      case name
      case address
      case numbers
    }

    enum AddressKeys: String, CodingKey { case city }

    init(name: String, city: String, numbers: [Int]) {
      self.name = name
      self.city = city
      self.numbers = numbers
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      let address = try container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
      city = try address.decode(String.self, forKey: .city)
      var list = try container.nestedUnkeyedContainer(forKey: .numbers)
      numbers = []
      while !list.isAtEnd { numbers.append(try list.decode(Int.self)) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      var address = container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
      try address.encode(city, forKey: .city)
      var list = container.nestedUnkeyedContainer(forKey: .numbers)
      for number in numbers { try list.encode(number) }
    }
  }

  @Test func `a flat model is a nested map by hand`() throws {
    try Coding.expectRoundTrip(
      Flat(name: "Ana", city: "Belo Horizonte", numbers: [1, 2]),
      ["name": "Ana", "address": ["city": "Belo Horizonte"], "numbers": [1, 2]] as [String: Any]
    )
  }

  private class Parent: Codable {
    var parent: Int?
    init(parent: Int?) { self.parent = parent }
  }

  private final class Child: Parent {
    var child: Int?

    enum CodingKeys: String, CodingKey { case child }

    init(parent: Int?, child: Int?) {
      self.child = child
      super.init(parent: parent)
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      child = try container.decode(Int?.self, forKey: .child)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(child, forKey: .child)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func `a superclass is a map under super`() throws {
    let encoded = try Coding.encode(Child(parent: 1, child: 2))
    #expect(Coding.equal(encoded, ["child": 2, "super": ["parent": 1]]), "\(encoded)")
    let decoded: Child = try Coding.decode(encoded)
    #expect(decoded.parent == 1 && decoded.child == 2)
    let none = try Coding.encode(Child(parent: nil, child: nil))
    #expect(Coding.equal(none, ["child": NSNull(), "super": [String: Any]()]), "\(none)")
  }

  private struct Names: Codable, Equatable {
    var oneTwo: Int
    var someURLText: String
    var _private: Int
    var map: [String: Int]
  }

  @Test func `snake case is for keys of types, not of dictionaries`() throws {
    let encoder = Firestore.Encoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let value = Names(oneTwo: 1, someURLText: "x", _private: 2, map: ["threeFour": 3])
    let encoded = try encoder.encode(value)
    let fields: [String: Any] = [
      "one_two": 1, "some_url_text": "x", "_private": 2, "map": ["threeFour": 3],
    ]
    #expect(Coding.equal(encoded, fields), "\(encoded)")
    struct Back: Codable, Equatable {
      var oneTwo: Int
      var someUrlText: String
      var _private: Int
      var map: [String: Int]
    }
    let decoder = Firestore.Decoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let back = try decoder.decode(Back.self, from: fields)
    #expect(back == Back(oneTwo: 1, someUrlText: "x", _private: 2, map: ["threeFour": 3]))
  }

  @Test func `custom keys see the path`() throws {
    struct Leaf: Codable, Equatable { var value: Int }
    struct Tree: Codable, Equatable { var leaf: Leaf }
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    let encoder = Firestore.Encoder()
    encoder.keyEncodingStrategy = .custom { path in
      Key(stringValue: path.map(\.stringValue).joined(separator: "-"))
    }
    let encoded = try encoder.encode(Tree(leaf: Leaf(value: 1)))
    #expect(Coding.equal(encoded, ["leaf": ["leaf-value": 1]]), "\(encoded)")
    let decoder = Firestore.Decoder()
    decoder.keyDecodingStrategy = .custom { path in
      Key(stringValue: String(path.last?.stringValue.split(separator: "-").last ?? ""))
    }
    #expect(try decoder.decode(Tree.self, from: encoded) == Tree(leaf: Leaf(value: 1)))
  }

  @Test func `user information reaches the types`() throws {
    struct Told: Codable, Equatable {
      var text: String
      static let key = CodingUserInfoKey(rawValue: "told")
      init(from decoder: any Decoder) throws {
        text = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? ""
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String }, forKey: .text)
      }
      enum CodingKeys: String, CodingKey { case text }
    }
    let key = try #require(Told.key)
    let decoder = Firestore.Decoder()
    decoder.userInfo[key] = "told"
    let told = try decoder.decode(Told.self, from: [String: Any]())
    #expect(told.text == "told")
    let encoder = Firestore.Encoder()
    encoder.userInfo[key] = "also"
    #expect(try encoder.encode(told)["text"] as? String == "also")
  }
}

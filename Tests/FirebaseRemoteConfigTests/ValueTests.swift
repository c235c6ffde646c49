import FirebaseCore
import Foundation
import Testing

@testable import FirebaseRemoteConfig

/// Values as texts, numbers, flags and Swift types.
struct ValueTests {
  @Test func `errors are caught by their codes`() {
    #expect(RemoteConfigError.throttled ~= RemoteConfigError(.throttled))
    #expect(!(RemoteConfigError.throttled ~= RemoteConfigError(.unknown)))
    // The same number in another domain.
    #expect(!(RemoteConfigError.unknown ~= RemoteConfigUpdateError(.streamError)))
    #expect(RemoteConfigUpdateError.notFetched ~= RemoteConfigUpdateError(.notFetched))
    let error = RemoteConfigCustomSignalsError(.limitExceeded, userInfo: ["reason": "x"]) as NSError
    #expect(RemoteConfigCustomSignalsError.limitExceeded ~= error)
    #expect(error.userInfo["reason"] as? String == "x")
  }

  private static func value(_ text: String) -> RemoteConfigValue {
    RemoteConfigValue(Data(text.utf8), .remote)
  }

  @Test(arguments: [
    ("true", true), ("TRUE", true), ("yes", true), ("Y", true), ("t", true), ("1", true),
    ("007", true), (" -5", true), ("9x", true), ("", false), ("0", false), ("false", false),
    ("no", false), ("on", false), ("00", false), (" ", false),
  ])
  func `a text says yes or not`(_ text: String, _ expected: Bool) {
    #expect(Self.value(text).boolValue == expected)
  }

  @Test func `numbers, data and trees`() {
    #expect(Self.value("2.5x").numberValue.doubleValue == 2.5)
    #expect(Self.value("x").numberValue.doubleValue == 0)
    #expect((Self.value("{\"a\":[1]}").jsonValue as? [String: [Int]]) == ["a": [1]])
    #expect(Self.value("{").jsonValue == nil)
    #expect(Self.value("é").dataValue == Data("é".utf8))
  }

  private struct Point: Codable, Equatable {
    var x: Int
    var y: Double
  }

  private struct Settings: Codable, Equatable {
    var title: String
    var count: Int
    var isOn: Bool
    var origin: Point
    var tags: [String]
    var missing: Int?
  }

  @Test func `values decode to Swift types`() throws {
    #expect(try Self.value("7").decoded(asType: Int.self) == 7)
    #expect(try Self.value("7.9").decoded(asType: Int.self) == 7)
    #expect(try Self.value("1").decoded(asType: Bool.self))
    #expect(try Self.value("{\"x\":1,\"y\":2.5}").decoded() == Point(x: 1, y: 2.5))
    #expect(throws: DecodingError.self) { try Self.value("300").decoded(asType: UInt8.self) }
    #expect(throws: DecodingError.self) { try Self.value("{}").decoded(asType: Point.self) }
    #expect(try Self.value("abc").decoded(asType: Int.self) == 0)
    #expect(try Self.value("x").decoded(asType: Data.self) == Data("x".utf8))
    #expect(try Self.value("abc").decoded(asType: String?.self) == "abc")
    #expect(try Self.value("[1,2]").decoded(asType: [Int].self) == [1, 2])
    for shape in ["text", "{\"a\":1}", ""] {
      let error = #expect(throws: DecodingError.self) {
        try Self.value(shape).decoded(asType: [Int].self)
      }
      guard case .typeMismatch? = error else { throw try #require(error) }
    }
    #expect(throws: RemoteConfigValueCodableError.self) {
      try Self.value("2025-01-01").decoded(asType: Date.self)
    }
  }

  @Test func `defaults come from Swift values, and all values make one`() throws {
    let config = try RemoteConfigFixture().config
    let settings = Settings(
      title: "São",
      count: 3,
      isOn: true,
      origin: Point(x: 1, y: -2),
      tags: ["a", "b"]
    )
    try config.setDefaults(from: settings)
    #expect(try config.decoded() == settings)
    #expect(config[decodedValue: "origin"] == Point(x: 1, y: -2))
    #expect(config[decodedValue: "title"] == "São")
    // An unknown key is an empty text, as with Google's.
    #expect(config[decodedValue: "nothing"] == 0)
    #expect(config[decodedValue: "nothing"] == "")
    #expect(config[decodedValue: "nothing"] == Optional<Point>.none)
    #expect(config[decodedValue: "title"] == Optional<[Int]>.none)
    #expect(config[jsonValue: "origin"]?["x"] == AnyHashable(1))
    #expect(config.keys(withPrefix: "t") == ["tags", "title"])
    #expect(config.defaultValue(forKey: "count")?.numberValue == 3)
    #expect(config.configValue(forKey: "count", source: .remote).source == .static)
    #expect(RemoteConfigProperty(key: "title", fallback: "x").value(in: config) == "São")
    #expect(RemoteConfigProperty(key: "none", fallback: "x").value(in: config) == "x")
    config.setDefaults(nil)
    #expect(config["title"].source == .static && config["title"].stringValue == "")
    #expect(throws: RemoteConfigCodableError.self) { try config.setDefaults(from: [1]) }
  }

  @Test func `an object of JSON can be compared to its depths`() throws {
    let config = try RemoteConfigFixture().config
    let text = #"{"list":[1,[2,"x"],{"a":null}],"on":true}"#
    config.setDefaults(["o": text as NSString, "t": "[1]" as NSString])
    let object = try #require(config[jsonValue: "o"])
    let expected: [AnyHashable] = [
      1, [2, "x"] as [AnyHashable], ["a": NSNull()] as [String: AnyHashable],
    ]
    #expect(object["list"] == AnyHashable(expected))
    #expect(object["on"] == AnyHashable(true))
    #expect((object["list"] as? [Any])?.count == 3)
    #expect(config[jsonValue: "t"] == nil)
  }

  @Test func `a property may be optional`() throws {
    let config = try RemoteConfigFixture().config
    config.setDefaults(["s": "text" as NSString, "n": 7 as NSNumber])
    let text = RemoteConfigProperty<String?>(key: "s", fallback: nil)
    let number = RemoteConfigProperty<Int?>(key: "n", fallback: nil)
    #expect(text.value(in: config) == "text" && number.value(in: config) == 7)
    #expect(RemoteConfigProperty<String?>(key: "none", fallback: nil).value(in: config) == nil)
    #expect(RemoteConfigProperty<Int>(key: "none", fallback: 5).value(in: config) == 5)
    #expect(text.key == "s")
  }

  @Test func `a decoder and an encoder can be chosen`() throws {
    struct Names: Codable, Equatable { var firstName: String }
    let config = try RemoteConfigFixture().config
    let (encoder, decoder) = (FirebaseDataEncoder(), FirebaseDataDecoder())
    encoder.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    try config.setDefaults(from: Names(firstName: "Ana"), encoder: encoder)
    #expect(config["first_name"].stringValue == "Ana")
    #expect(try config.decoded(decoder: decoder) == Names(firstName: "Ana"))
  }

  @Test func `defaults of objects`() throws {
    let config = try RemoteConfigFixture().config
    config.setDefaults([
      "s": "text" as NSString, "n": 1.5 as NSNumber, "b": NSNumber(value: true),
      "d": NSData(data: Data([1, 2])), "l": NSArray(array: [1, 2]),
    ])
    #expect(config["s"].stringValue == "text")
    #expect(config["n"].numberValue == 1.5)
    #expect(config["b"].boolValue)
    #expect(config["d"].dataValue == Data([1, 2]))
    #expect(config["l"].stringValue == "[1,2]")
  }
}

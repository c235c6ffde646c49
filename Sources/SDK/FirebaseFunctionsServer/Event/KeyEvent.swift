import BaseJSON
import Foundation

/// A key event of analytics.
public struct KeyEvent: Sendable {
  /// A value of a parameter.
  public enum Value: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case double(Double)
  }

  /// The name, such as `purchase`.
  public let name: String
  /// The time at which it happened in the app.
  public let time: Date
  /// The parameters, without items.
  public let params: [String: Value]
  /// The parameter `value` of an event whose currency is the US dollar.
  public let valueInUSD: Double?
  /// The id that the app gave its user.
  public let userID: String?
  /// The installation; one that begins with `?` has proved nothing, and nil is a user who did not agree to be recognised.
  public let appInstanceID: String?
  /// The app, such as `1:42:ios:ab`.
  public let appID: String?
  /// The properties of the user, as the app set them.
  public let userProperties: [String: String]
}

extension KeyEvent {
  /// Reads the data of an event.
  init(_ data: Data) throws {
    let json = try JSONParser.parse(Array(data))
    guard let event = json["eventDim"]?.elements?.first, let name = event["name"]?.string else {
      throw CloudEvent.malformed
    }
    let user = json["userDim"]
    self.name = name
    let micros = event["timestampMicros"]?.string.flatMap { Double($0) } ?? 0
    time = Date(timeIntervalSince1970: micros / 1_000_000)
    var params: [String: Value] = [:]
    for member in event["params"]?.members ?? [] { params[member.key] = Value(member.value) }
    self.params = params
    valueInUSD = event["valueInUsd"].flatMap { Self.double($0) }
    userID = user?["userId"]?.string
    appInstanceID = user?["appInfo"]?["appInstanceId"]?.string
    appID = user?["appInfo"]?["appId"]?.string
    var properties: [String: String] = [:]
    for member in user?["userProperties"]?.members ?? [] {
      properties[member.key] = member.value["value"]?["stringValue"]?.string
    }
    userProperties = properties
  }

  fileprivate static func double(_ value: JSONValue) -> Double? {
    if case .number(let digits) = value { Double(digits) } else { nil }
  }
}

extension KeyEvent.Value {
  /// Reads a value with its type's name; nil for another.
  fileprivate init?(_ json: JSONValue) {
    if let text = json["stringValue"]?.string {
      self = .string(text)
    } else if let number = json["intValue"]?.string.flatMap({ Int64($0) }) {
      self = .integer(number)
    } else if let number = json["doubleValue"].flatMap({ KeyEvent.double($0) }) {
      self = .double(number)
    } else {
      return nil
    }
  }
}

extension Function {
  /// A function that runs when an app logs a key event.
  ///
  /// - Parameter event: The name of an event that the project's analytics has marked as a key event.
  public static func onKeyEvent(
    _ name: String,
    event: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (FunctionEvent<KeyEvent>) async throws -> Void
  ) -> Function {
    eventFunction(
      name,
      "google.firebase.analytics.log.v1.written",
      ["event": event],
      options,
      decode: { try KeyEvent($0) },
      handler
    )
  }
}

import Foundation

/// The source of a value.
public enum RemoteConfigSource: Int, Sendable {
  /// The server.
  case remote = 0
  /// The app's own defaults.
  case `default` = 1
  /// Nowhere: the value of an unknown key.
  case `static` = 2
}

/// The value of a key, of any type.
public final class RemoteConfigValue: NSObject, NSCopying, Sendable {
  /// The bytes.
  public let dataValue: Data
  /// The source of the value.
  public let source: RemoteConfigSource

  init(_ data: Data, _ source: RemoteConfigSource) {
    dataValue = data
    self.source = source
  }

  /// The value as text; empty where the bytes are none.
  public var stringValue: String { String(data: dataValue, encoding: .utf8) ?? "" }

  /// The number at the beginning of the text; 0 where there is none.
  public var numberValue: NSNumber {
    NSNumber(value: (stringValue as NSString).doubleValue)
  }

  /// True if the text says yes: behind blanks, signs and zeros comes Y, y, T, t or another digit.
  public var boolValue: Bool {
    let rest = stringValue.drop { $0 == "0" || $0 == "+" || $0 == "-" || $0.isWhitespace }
    return rest.first.map { "YyTt123456789".contains($0) } ?? false
  }

  /// The value as a tree of JSON; nil where it is none.
  public var jsonValue: Any? {
    try? JSONSerialization.jsonObject(with: dataValue, options: .fragmentsAllowed)
  }

  /// The value itself, which does not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns true if the other value has the same bytes from the same source.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? RemoteConfigValue else { return false }
    return dataValue == other.dataValue && source == other.source
  }

  /// A hash of the bytes.
  public override var hash: Int { dataValue.hashValue }
}

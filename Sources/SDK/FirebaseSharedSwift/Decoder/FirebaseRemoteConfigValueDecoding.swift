import Foundation

/// A value that converts to any requested type: a parameter of Remote Config.
///
/// ``FirebaseDataDecoder`` asks for what the type that it decodes needs.
public protocol FirebaseRemoteConfigValueDecoding {
  /// The number at the beginning of the text.
  func numberValue() -> NSNumber
  /// True if the text says yes.
  func boolValue() -> Bool
  /// The text.
  func stringValue() -> String
  /// The bytes.
  func dataValue() -> Data
  /// The list that the text is in JSON; nil where it is none.
  func arrayValue() -> [AnyHashable]?
  /// The object that the text is in JSON; nil where it is none.
  func dictionaryValue() -> [String: AnyHashable]?
}

extension StructureDecoder {
  /// The value as a parameter; nil for other types.
  var parameter: (any FirebaseRemoteConfigValueDecoding)? {
    value as? any FirebaseRemoteConfigValueDecoding
  }

  /// The whole part of a parameter's number; throws where the type cannot hold it.
  func integer<T: FixedWidthInteger>(
    of parameter: any FirebaseRemoteConfigValueDecoding
  ) throws -> T {
    if let exact = T(parameter.stringValue()) { return exact }
    let number = parameter.numberValue()
    guard let whole = T(exactly: number.doubleValue.rounded(.towardZero)) else {
      throw corrupted("Parsed JSON number <\(number)> does not fit in \(T.self).")
    }
    return whole
  }
}

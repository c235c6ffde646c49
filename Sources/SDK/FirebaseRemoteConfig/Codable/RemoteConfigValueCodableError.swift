import Foundation

/// The reason why a value does not have a Swift type.
public enum RemoteConfigValueCodableError: Error {
  /// The type has no form as a value: dates have not.
  case unsupportedType(String)
}

/// The reason why a Swift value does not give the app its defaults.
public enum RemoteConfigCodableError: Error {
  /// It has no members with names.
  case invalidSetDefaultsInput(String)
}

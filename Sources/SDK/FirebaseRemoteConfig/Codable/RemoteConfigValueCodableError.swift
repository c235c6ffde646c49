import Foundation

/// Why a value is none of a Swift type.
public enum RemoteConfigValueCodableError: Error {
  /// The type has no form as a value: dates have not.
  case unsupportedType(String)
}

/// Why a Swift value does not give the app its defaults.
public enum RemoteConfigCodableError: Error {
  /// It has no members with names.
  case invalidSetDefaultsInput(String)
}

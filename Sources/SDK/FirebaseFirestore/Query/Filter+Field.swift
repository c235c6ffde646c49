import Foundation

// Conditions on one field, by its path with dots or a `FieldPath`.

extension Filter {
  /// Documents whose field equals a value.
  public class func whereField(_ field: String, isEqualTo value: Any) -> Filter {
    Filter(.text(field), .equal, value)
  }

  /// Documents whose field equals a value.
  public class func whereField(_ path: FieldPath, isEqualTo value: Any) -> Filter {
    Filter(.path(path), .equal, value)
  }

  /// Documents whose field is there and differs from a value.
  public class func whereField(_ field: String, isNotEqualTo value: Any) -> Filter {
    Filter(.text(field), .notEqual, value)
  }

  /// Documents whose field is there and differs from a value.
  public class func whereField(_ path: FieldPath, isNotEqualTo value: Any) -> Filter {
    Filter(.path(path), .notEqual, value)
  }

  /// Documents whose field is less than a value.
  public class func whereField(_ field: String, isLessThan value: Any) -> Filter {
    Filter(.text(field), .lessThan, value)
  }

  /// Documents whose field is less than a value.
  public class func whereField(_ path: FieldPath, isLessThan value: Any) -> Filter {
    Filter(.path(path), .lessThan, value)
  }

  /// Documents whose field is at most a value.
  public class func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> Filter {
    Filter(.text(field), .lessThanOrEqual, value)
  }

  /// Documents whose field is at most a value.
  public class func whereField(_ path: FieldPath, isLessThanOrEqualTo value: Any) -> Filter {
    Filter(.path(path), .lessThanOrEqual, value)
  }

  /// Documents whose field is greater than a value.
  public class func whereField(_ field: String, isGreaterThan value: Any) -> Filter {
    Filter(.text(field), .greaterThan, value)
  }

  /// Documents whose field is greater than a value.
  public class func whereField(_ path: FieldPath, isGreaterThan value: Any) -> Filter {
    Filter(.path(path), .greaterThan, value)
  }

  /// Documents whose field is at least a value.
  public class func whereField(_ field: String, isGreaterOrEqualTo value: Any) -> Filter {
    Filter(.text(field), .greaterThanOrEqual, value)
  }

  /// Documents whose field is at least a value.
  public class func whereField(_ path: FieldPath, isGreaterOrEqualTo value: Any) -> Filter {
    Filter(.path(path), .greaterThanOrEqual, value)
  }

  /// Documents whose field is an array with a value.
  public class func whereField(_ field: String, arrayContains value: Any) -> Filter {
    Filter(.text(field), .arrayContains, value)
  }

  /// Documents whose field is an array with a value.
  public class func whereField(_ path: FieldPath, arrayContains value: Any) -> Filter {
    Filter(.path(path), .arrayContains, value)
  }

  /// Documents whose field is an array with one of these values.
  public class func whereField(_ field: String, arrayContainsAny value: [Any]) -> Filter {
    Filter(.text(field), .arrayContainsAny, value)
  }

  /// Documents whose field is an array with one of these values.
  public class func whereField(_ path: FieldPath, arrayContainsAny value: [Any]) -> Filter {
    Filter(.path(path), .arrayContainsAny, value)
  }

  /// Documents whose field is one of these values.
  public class func whereField(_ field: String, in value: [Any]) -> Filter {
    Filter(.text(field), .in, value)
  }

  /// Documents whose field is one of these values.
  public class func whereField(_ path: FieldPath, in value: [Any]) -> Filter {
    Filter(.path(path), .in, value)
  }

  /// Documents whose field is there and none of these values.
  public class func whereField(_ field: String, notIn value: [Any]) -> Filter {
    Filter(.text(field), .notIn, value)
  }

  /// Documents whose field is there and none of these values.
  public class func whereField(_ path: FieldPath, notIn value: [Any]) -> Filter {
    Filter(.path(path), .notIn, value)
  }
}

/// The rule by which values stay the objects that they are, instead of being taken apart.
public protocol StructureCodingPassthroughTypeResolver {
  /// Returns true if a value stays as it is.
  static func isPassthroughType<T>(_ t: T) -> Bool
}

/// A wrapper that is not stored: encoders skip its key, decoders make it from their `userInfo` alone.
public protocol StructureCodingUncodedUnkeyed {}

/// The resolver by which everything is taken apart.
public struct NoPassthroughTypes: StructureCodingPassthroughTypeResolver {
  /// False.
  public static func isPassthroughType<T>(_ t: T) -> Bool { false }
}

/// A value that wraps one which the strategies leave alone.
package protocol PassthroughValue: Codable {
  /// The wrapped value, which is stored.
  var passedThrough: Any { get }
  /// The stored value; nil if it has another type.
  init?(passedThrough: Any)
}

import Foundation

/// A Swift error that stands for the `NSError`s of one domain.
///
/// The products throw and deliver the objects, as Google's do. Casts go both ways, without Objective-C too: an object is
/// cast to the Swift error of its domain, `error as? StorageErrorCode`, and a Swift error to its object,
/// `error as? NSError`. Swift looks for both through `_ObjectiveCBridgeable`, on every system.
package protocol ErrorWithObject: Error, _ObjectiveCBridgeable where _ObjectiveCType == NSError {
  /// The error as an object.
  var object: NSError { get }

  /// The error of an object; nil for an object of another domain or with an unknown code.
  init?(object: NSError)
}

extension ErrorWithObject {
  /// The error as an object.
  public func _bridgeToObjectiveC() -> NSError { object }

  /// Sets the result to the error of an object; to nil where the object is another domain's.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
    result = Self(object: source)
  }

  /// Sets the result to the error of an object; returns false where the object is another domain's.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError,
    result: inout Self?
  ) -> Bool {
    result = Self(object: source)
    return result != nil
  }

  /// Returns the error of an object; traps where the object is another domain's.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
    guard let error = source.flatMap({ Self(object: $0) }) else {
      preconditionFailure("The object is not an error of the domain \(Self.self).")
    }
    return error
  }
}

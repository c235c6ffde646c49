/// An object of the app's, such as a delegate, that is not kept alive.
///
/// Unchecked: apps' objects are not marked `Sendable`. This one is never called but on one queue, and the app must
/// expect it there.
package struct WeakReference<Object>: @unchecked Sendable {
  /// `Object` is mostly the type of a protocol's values, which is no class and cannot be weak itself.
  private weak var anyObject: AnyObject?

  /// A reference to an instance of a class, or to none.
  package init(_ object: Object?) { anyObject = object.map { $0 as AnyObject } }

  /// The object; nil once it is gone.
  package var object: Object? { anyObject as? Object }
}

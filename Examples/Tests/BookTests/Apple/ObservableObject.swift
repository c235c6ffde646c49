#if !canImport(Combine)
/// What the chapters use of Combine, which Linux has not: an object that says when it changes.
protocol ObservableObject: AnyObject {
  var objectWillChange: ObjectWillChange { get }
}

/// The announcements of changes; tests count them.
final class ObjectWillChange {
  private(set) var count = 0

  func send() { count += 1 }
}

/// A property of an observable object.
@propertyWrapper struct Published<Value> {
  var wrappedValue: Value
}
#else
import Combine

typealias ObjectWillChange = ObservableObjectPublisher
#endif

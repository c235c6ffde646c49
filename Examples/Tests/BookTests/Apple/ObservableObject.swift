#if !canImport(Combine)
/// An object that says when it changes: the part of Combine that the chapters use, which Linux lacks.
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

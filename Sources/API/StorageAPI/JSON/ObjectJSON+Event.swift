import BaseJSON
import ObjectStorage

extension StoredObject {
  /// The object's resource as events have it.
  ///
  /// - Parameter origin: The URL of the server, without a path.
  package func eventData(origin: String) -> JSONValue { json(origin: origin) }
}

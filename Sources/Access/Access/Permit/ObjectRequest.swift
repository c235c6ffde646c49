import SecurityRules

/// A client's request for an object of a bucket, or for the names below a prefix.
package enum ObjectRequest: Sendable {
  /// Reads content or metadata.
  case get
  /// Lists the names below a prefix, which is the subject of the decision.
  case list
  /// Stores content under the name, replacing any existing object.
  case write(StorageResource)
  /// Changes metadata; the content stays.
  case update(StorageResource)
  case delete

  /// The object that the request would leave; nil where it leaves none.
  var proposed: StorageResource? {
    switch self {
    case .write(let resource), .update(let resource): resource
    case .get, .list, .delete: nil
    }
  }

  /// The name of the request for operators: the rules' permission that it needs.
  package var permission: String {
    switch self {
    case .get: "READ"
    case .list: "LIST"
    case .write, .update, .delete: "WRITE"
    }
  }
}

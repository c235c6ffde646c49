/// The server to load and the names that requests use.
struct LoadTarget: Sendable {
  let host: String
  let port: Int
  /// `projects/{p}/databases/{d}`.
  let database: String
  let collection: String
  let token: String?

  /// The root of all documents, the parent of queries.
  var root: String { "\(database)/documents" }

  /// The full name of a product.
  func name(_ id: String) -> String { "\(root)/\(collection)/\(id)" }
}

/// The server to load and the names that requests use.
struct LoadTarget: Sendable {
  let host: String
  let port: Int
  /// `projects/{p}/databases/{d}`.
  let database: String
  let collection: String
  let token: String?
  /// The owner of all products; nil gives each user a hundred.
  var owner: String?

  /// The root of all documents, the parent of queries.
  var root: String { "\(database)/documents" }

  /// The owner of a product that without `owner` would be a user's of that number.
  func user(_ number: Int) -> String { owner ?? Product.user(number) }

  /// The full name of a product.
  func name(_ id: String) -> String { "\(root)/\(collection)/\(id)" }
}

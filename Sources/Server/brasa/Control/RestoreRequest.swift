/// A request of `brasa restore` into a running server, or a directory at rest.
enum RestoreRequest: Codable, Sendable, Equatable {
  /// Stores the items that follow in a database whose restore began at that version, in microseconds; refused once it is over.
  case fill(kind: String, database: DatabaseLabel, since: Int64)
  /// Makes a project; refused where the server has it. A trial looks only.
  case takeProject(String, isTrial: Bool)
}

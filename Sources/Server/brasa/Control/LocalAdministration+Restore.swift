import Access
import Authentication
import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

extension LocalAdministration {
  /// The most projects that are compared.
  private static let mostProjects = 100_000

  /// Does what `brasa restore` asks of the store that it restores into.
  func restore(
    _ request: RestoreRequest,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    switch request {
    case .fill(let kind, let label, let start):
      let fill = CommitVersion(microseconds: start)
      // The definitions of indexes are not written as documents are, which look again.
      try permit.checkFill(fill, of: label.id)
      try importItems(kind, into: label.id, by: fill, input, output)
    case .takeProject(let project, let isTrial):
      try takeProject(project, isTrial: isTrial, output)
    }
  }

  /// Makes a project that the server does not have, or looks if it could.
  private func takeProject(
    _ name: String,
    isTrial: Bool,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let project = Text(name)
    try DatabaseID(project: project, database: "(default)").checkCreatable()
    var known = try accounts.knownProjects(limit: Self.mostProjects).union(rules.projects)
    known.formUnion(try permit.listDatabases().map(\.id.project))
    let taken = ServiceError(.alreadyExists, "The server has a project \(name) already.")
    guard !known.contains(project) else { throw taken }
    if isTrial { return try output(.finished(summary: "")) }
    try accounts.project(project).configure { configuration in
      // If two people make the same project at once, the second is refused.
      guard configuration.displayName == nil else { throw taken }
      configuration.displayName = name
    }
    try output(.finished(summary: "created the project \(name)"))
  }
}

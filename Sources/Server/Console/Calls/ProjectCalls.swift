import Authentication
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import HTTPTypes
import ServiceModule

/// Projects that exist before anything is in them, and their names for people.
///
///     POST   /console/api/projects             {projectId, displayName}; for editors and owners of the server
///     PATCH  /console/api/projects/{project}   {displayName}
///     DELETE /console/api/projects/{project}   forgets one that has no database, rules, app or user left
struct ProjectCalls: Sendable {
  let environment: ConsoleEnvironment
  let accounts: Accounts

  /// The characters that a project's name has at most.
  static let longestName = 100

  var routes: [HTTPRoute] {
    let one = "/console/api/projects/{project}"
    return [
      .ofConsole(.post, "/console/api/projects", environment, create),
      .ofConsole(.patch, one, environment, rename),
      .ofConsole(.delete, one, environment, performing: .deleteDatabase, forget),
    ]
  }

  @Sendable
  private func create(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let (id, name) = (Text(try body.required("projectId")), try Self.name(in: body))
    try DatabaseID(project: id, database: "(default)").checkCreatable()
    request.context.actor?.note(subject: "create project \(id.string)")
    try await blocking { [accounts, environment] in
      guard try !environment.projects().contains(id) else { throw Self.taken }
      try accounts.project(id).configure { configuration in
        // If two people create the same project at once, the second is refused.
        guard configuration.displayName == nil else { throw Self.taken }
        configuration.displayName = name
      }
    }
    return .private(
      .object(["projectId": .string(id.string), "displayName": .string(name)])
    )
  }

  @Sendable
  private func rename(_ request: ServiceRequest) async throws -> ServiceResponse {
    let name = try Self.name(in: try await ConsoleBody(request))
    let id = Text(request.parameters["project"] ?? "")
    try await blocking { [accounts, environment] in
      guard try environment.projects().contains(id) else {
        throw ServiceError(.notFound, "The project \(id.string) does not exist.")
      }
      try accounts.project(id).configure { $0.displayName = name }
    }
    return .private(.object(["displayName": .string(name)]))
  }

  /// Nothing is lost by it: a project's data is deleted by the routes for such data.
  @Sendable
  private func forget(_ request: ServiceRequest) async throws -> ServiceResponse {
    let id = Text(request.parameters["project"] ?? "")
    try await blocking { [accounts, environment] in
      guard try !environment.projectsWithData().contains(id), try accounts.project(id).forget()
      else {
        throw ServiceError(
          .failedPrecondition,
          "The project \(id.string) still has databases, rules, apps or users. Delete those first."
        )
      }
    }
    return .private(.object([JSONValue.Member]()))
  }

  private static func name(in body: ConsoleBody) throws -> String {
    let name = try body.required("displayName").trimmingSpace
    guard 1...longestName ~= name.count else {
      throw ServiceError.invalidArgument(
        "A project's name must have 1 to \(longestName) characters."
      )
    }
    return name
  }

  private static let taken = ServiceError(
    .alreadyExists,
    "A project with this ID already exists. Choose another ID."
  )

  private func blocking(_ work: @escaping @Sendable () throws -> Void) async throws {
    do {
      try await environment.blocking(work)
    } catch let error as AccountError {
      throw ServiceError(.invalidArgument, error.message, cause: error)
    }
  }
}

extension String {
  /// The text without space at its ends.
  fileprivate var trimmingSpace: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

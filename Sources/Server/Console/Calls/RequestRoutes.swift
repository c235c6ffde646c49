import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import HTTPTypes
import ServiceModule

/// What the rules decided lately.
///
///     GET /console/api/projects/{project}/denials?after=    the newest denials of a project behind a number
///     GET /console/api/projects/{project}/allowed?after=    the same of what was allowed, which is kept while it is asked for
///     GET /console/api/projects/{project}/decisions?database=|bucket=   the decisions of its rules by day
struct RequestRoutes: Sendable {
  let environment: ConsoleEnvironment

  var routes: [HTTPRoute] {
    let access = environment.access
    return [
      route("denials") { access.recentDenials(of: $0, after: $1) },
      route("allowed") { access.recentAllowed(of: $0, after: $1) },
      .ofConsole(.get, "/console/api/projects/{project}/decisions", environment, decisions)
        .openToViewers(),
    ]
  }

  @Sendable
  private func decisions(_ request: ServiceRequest) async throws -> ServiceResponse {
    let parameters = try QueryParameters(request.query).parameters
    let project = Text(request.parameters["project"] ?? "")
    let scope: RulesScope
    if let database = parameters.first(where: { $0.name == "database" })?.value {
      scope = .database(DatabaseID(project: project, database: Text(database)))
    } else if let bucket = parameters.first(where: { $0.name == "bucket" })?.value {
      scope = .bucket(BucketID(project: project, name: Text(bucket)))
    } else {
      throw ServiceError.invalidArgument("Name a database or a bucket.")
    }
    guard let history = environment.decisions else {
      return .private(.object(["days": .array([])]))
    }
    let days = try await environment.threads.run(on: .maintenance) {
      try history.keep()
      return try history.days(of: scope)
    }
    return .private(.object(["days": .array(days.map(\.json))]))
  }

  private func route(
    _ name: String,
    _ find: @escaping @Sendable (_ project: Text, _ after: Int64) -> [RecordedRequest]
  ) -> HTTPRoute {
    let path = "/console/api/projects/{project}/\(name)"
    return HTTPRoute.ofConsole(.get, path, environment) { request in
      let after = try QueryParameters(request.query).parameters.first { $0.name == "after" }
      let project = Text(request.parameters["project"] ?? "")
      let found = find(project, after.flatMap { Int64($0.value) } ?? 0)
      return .private(.object([name: .array(found.map(\.json))]))
    }
    .openToViewers()
  }
}

extension RulesDay {
  /// The day as its first instant in milliseconds since 1970, with the counts.
  fileprivate var json: JSONValue {
    .object([
      "time": .integer(Int64(day) * 86_400_000), "allowed": .integer(counts.allowed),
      "denied": .integer(counts.denied), "errors": .integer(counts.errors),
    ])
  }
}

extension RecordedRequest {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = facts.sorted { $0.key < $1.key }.map {
      .init($0.key, .string($0.value))
    }
    members += [
      .init("number", .number(String(number))),
      .init("time", .number(String(time / 1_000))),
      .init("seen", .array(seen.map(JSONValue.string))),
    ]
    return .object(members)
  }
}

import Access
import FirestoreModel
import FirestoreWire
import HTTPTypes
import ServiceModule

/// What the rules denied lately.
///
///     GET /console/api/projects/{project}/denials?after=    the newest of a project behind a number
struct DenialRoutes: Sendable {
  let environment: ConsoleEnvironment

  var routes: [HTTPRoute] {
    [
      .ofConsole(.get, "/console/api/projects/{project}/denials", environment, list)
        .openToViewers()
    ]
  }

  @Sendable
  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    let after = try QueryParameters(request.query).parameters.first { $0.name == "after" }
    let project = Text(request.parameters["project"] ?? "")
    let number = after.flatMap { Int64($0.value) } ?? 0
    let found = environment.access.recentDenials(of: project, after: number)
    return .private(.object(["denials": .array(found.map(\.json))]))
  }
}

extension RecordedDenial {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = facts.sorted { $0.key < $1.key }.map {
      .init(name: $0.key, value: .string($0.value))
    }
    members += [
      .init(name: "number", value: .number(String(number))),
      .init(name: "time", value: .number(String(time / 1_000))),
      .init(name: "seen", value: .array(seen.map(JSONValue.string))),
    ]
    return .object(members)
  }
}

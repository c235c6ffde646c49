import Access
import BaseJSON
import BaseText
import FirestoreWire
import HTTPTypes
import ServiceModule

/// The console's calls for recent decisions of the rules.
///
///     GET /console/api/projects/{project}/denials?after=    the newest denials of a project behind a number
///     GET /console/api/projects/{project}/allowed?after=    the same of what was allowed, which is kept while it is asked for
struct RequestRoutes: Sendable {
  let environment: ConsoleEnvironment

  var routes: [HTTPRoute] {
    let access = environment.access
    return [
      route("denials") { access.recentDenials(of: $0, after: $1) },
      route("allowed") { access.recentAllowed(of: $0, after: $1) },
    ]
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

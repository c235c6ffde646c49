import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import DocumentStore
import Events
import FirestoreModel
import HTTPTypes
import ServiceModule

/// The parts of the program that the routes of events depend on.
package struct EventsEnvironment: Sendable {
  /// The events that the routes publish.
  package let bus: EventBus
  /// Decides which callers may publish.
  package let access: AccessControl
  /// The pools on which work that blocks runs.
  package let threads: EngineThreads

  /// Collects the dependencies of the routes.
  package init(bus: EventBus, access: AccessControl, threads: EngineThreads) {
    self.bus = bus
    self.access = access
    self.threads = threads
  }

  /// The project of the path, for callers who administer it; throws PERMISSION_DENIED for all others.
  func project(of request: ServiceRequest) async throws -> String {
    let (access, context) = (access, request.context)
    let project = request.project ?? ""
    try await threads.run(caller: context.network) {
      try access.requireAdministration(try access.identify(context), of: project)
    }
    return project.string
  }

  /// The principal of what a request publishes.
  func author(of request: ServiceRequest) -> CommitAuthor {
    let context = request.context
    return CommitAuthor(
      .administrator,
      id: context.actor?.administrator?.email,
      depth: context.eventDepth
    )
  }
}

extension ServiceRequest {
  /// The body as a JSON object; an empty one has no members.
  func jsonObject(upTo limit: Int) async throws -> JSONValue {
    let bytes = try await collectText(upTo: limit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServiceError(.invalidArgument, "Invalid JSON payload received: it is not UTF-8.")
    }
    if text.isEmpty { return .object([JSONValue.Member]()) }
    let json = try JSONValue(parsing: text)
    guard json.members != nil else {
      throw ServiceError(.invalidArgument, "Invalid JSON payload received: an object is expected.")
    }
    return json
  }

  func variable(_ name: String) -> String { parameters[name] ?? "" }
}

extension ServiceResponse {
  static func of(_ members: [JSONValue.Member]) -> ServiceResponse {
    .json(JSONValue.object(members).compactBytes)
  }
}

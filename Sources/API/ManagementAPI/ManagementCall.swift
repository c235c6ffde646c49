import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import ServiceModule

/// A request of the management routes with its body.
struct ManagementCall: Sendable {
  let environment: ManagementEnvironment
  let request: ServiceRequest
  let bytes: [UInt8]

  /// The project that the path names; where it is `-`, the one of the app that the path names.
  func project() throws -> Text {
    let named = request.parameters["project"] ?? ""
    guard named == "-" else {
      let project = Text(named)
      try DatabaseID(project: project).checkCreatable()
      return project
    }
    let parts = (request.parameters["app"] ?? "").split(separator: ":")
    guard parts.count > 1, let project = try environment.numbers.project(String(parts[1])) else {
      // Only administrators of the server can list the apps.
      return "-"
    }
    return project
  }

  /// The body as an object; an empty one is an empty object.
  func body() throws(ServiceError) -> JSONValue {
    let value = bytes.isEmpty ? JSONValue.object([]) : try JSONParser.parse(bytes)
    guard value.members != nil else {
      throw .invalidArgument("The body must be a JSON object.")
    }
    return value
  }

  /// The value of a parameter of the query; nil without one.
  func parameter(_ name: String) throws(ServiceError) -> String? {
    try QueryParameters(request.query).parameters.last { $0.name == name }?.value
  }

  /// The page of a list that the query asks for, as a response under that name.
  func page(_ name: String, of all: [JSONValue]) throws(ServiceError) -> ServiceResponse {
    let size = Int(try parameter("pageSize") ?? "100") ?? -1
    let token = try parameter("pageToken") ?? ""
    guard (0...10_000).contains(size) else {
      throw .invalidArgument("The page size is out of range.")
    }
    guard let start = token.isEmpty ? 0 : Int(token), start >= 0 else {
      throw .invalidArgument("Invalid page token.")
    }
    let shown = all.dropFirst(start).prefix(size == 0 ? 100 : size)
    var members = [JSONValue.Member(name, .array(Array(shown)))]
    if start + shown.count < all.count, !shown.isEmpty {
      members.append(.init("nextPageToken", .string("\(start + shown.count)")))
    }
    return .object(members)
  }

  /// Throws NOT_FOUND to administrators of an unused project.
  func requireKnown(_ project: Text) throws {
    guard !environment.isDevelopment else { return }
    let caller = try environment.access.identify(request.context)
    // Projects come to be by their first use, which the holder of a key of the server may make.
    if caller == .administrator { return }
    guard try environment.numbers.projects().contains(project) else {
      throw ServiceError(.notFound, "There is no project \(project.string).")
    }
  }
}

extension ServiceResponse {
  /// A JSON object.
  static func object(_ members: [JSONValue.Member]) -> ServiceResponse {
    .json(JSONValue.object(members).compactBytes)
  }

  /// A JSON value.
  static func value(_ value: JSONValue) -> ServiceResponse { .json(value.compactBytes) }
}

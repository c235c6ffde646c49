import BaseJSON
import BaseStatus
import ConfigTemplates
import FirestoreModel
import FirestoreWire
import ServiceModule

// Experiments and rollouts of the newest template in the form in which the Firebase CLI reads them.

extension TemplateManagement {
  /// The experiments or rollouts of a template, page by page.
  func splits(_ call: TemplateCall, _ collection: String) throws -> ServiceResponse {
    let all = try found(call, collection)
    let size = Int(call.parameter("pageSize", "page_size") ?? "10") ?? -1
    let token = call.parameter("pageToken", "page_token") ?? ""
    guard (0...1_000).contains(size), let start = token.isEmpty ? 0 : Int(token), start >= 0 else {
      throw ServiceError.invalidArgument("The page size or the page token is invalid.")
    }
    let shown = all.dropFirst(start).prefix(size == 0 ? 10 : size)
    var members = [JSONValue.Member(collection, .array(shown.map(\.json)))]
    if start + shown.count < all.count, !shown.isEmpty {
      members.append(.init("nextPageToken", .string("\(start + shown.count)")))
    }
    return .json(JSONValue.object(members))
  }

  /// One experiment or rollout by its id.
  func split(_ call: TemplateCall, _ collection: String) throws -> ServiceResponse {
    let id = call.request.parameters["id"] ?? ""
    guard let split = try found(call, collection).first(where: { $0.id == id }) else {
      throw ServiceError(.notFound, "There is no \(collection.dropLast()) \(id.prefix(100)).")
    }
    return .json(split.json)
  }

  private func found(
    _ call: TemplateCall,
    _ collection: String
  ) throws -> [(id: String, json: JSONValue)] {
    let root = "projects/\(call.id.project.string)/namespaces/\(call.id.namespace.rawValue)"
    return try templates.splits(of: call.id).filter { split in
      split.isExperiment == (collection == "experiments")
    }.map { split in
      let seconds = split.published / 1_000_000
      let time = TimestampText.format(seconds: seconds, nanos: 0)
      let definition = JSONValue.object([
        .init("displayName", .string(split.id)), .init("description", .string("")),
        .init(
          "service",
          .string(split.isExperiment ? "EXPERIMENT_SERVICE_REMOTE_CONFIG" : "REMOTE_CONFIG")
        ),
      ])
      let json = JSONValue.object([
        .init("name", .string("\(root)/\(collection)/\(split.id)")),
        .init("definition", definition), .init("state", .string("RUNNING")),
        .init("startTime", .string(time)), .init("createTime", .string(time)),
        .init("lastUpdateTime", .string(time)), .init("etag", .string("\(split.published)")),
      ])
      return (split.id, json)
    }
  }
}

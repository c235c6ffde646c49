import BaseJSON
import BaseStatus
import BaseText
import Events
import FirestoreModel
import FirestoreWire
import HTTPTypes
import ServiceModule

/// Cloud Tasks as the Admin SDKs use it, below `/v2/projects/{project}/locations/{location}/queues/{queue}`, and without
/// `/v2` as they ask an emulator.
///
///     POST   /tasks          enqueues {task: {name, scheduleTime, httpRequest: {body, headers}}}
///     DELETE /tasks/{task}   deletes a task
///
/// A task goes to the function that declares the queue, even if it names another URL.
struct TaskRoutes: Sendable {
  let environment: EventsEnvironment

  /// Google's 100 KB as Base64, with the rest of a task.
  private static let bodyLimit = 256 << 10

  var routes: [HTTPRoute] {
    ["/v2", ""].flatMap { version in
      let root = version + "/projects/{project}/locations/{location}/queues/{queue}/tasks"
      return [
        HTTPRoute(.post, RoutePattern(root), for: .administrators, handler: enqueue),
        HTTPRoute(.delete, RoutePattern(root + "/{task}"), for: .administrators, handler: delete),
      ]
    }
  }

  private func enqueue(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let body = try await request.jsonObject(upTo: Self.bodyLimit)
    guard let json = body["task"], json.members != nil else {
      throw ServiceError(.invalidArgument, "The request contains no task.")
    }
    let root =
      "projects/\(project)/locations/\(request.variable("location"))/queues/\(request.variable("queue"))/tasks"
    let task = try Self.task(json, root: root)
    let name = try await environment.bus.enqueue(
      task,
      queue: request.variable("queue"),
      location: request.variable("location"),
      project: project,
      by: environment.author(of: request)
    )
    var members: [JSONValue.Member] = [.init("name", .string("\(root)/\(name)"))]
    if let http = json["httpRequest"] { members.append(.init("httpRequest", http)) }
    if let time = json["scheduleTime"] { members.append(.init("scheduleTime", time)) }
    // The Admin SDKs expect an emulator's response to have the task in a member, under a name that begins with a slash.
    guard request.path.hasPrefix("/v2/") else {
      members[0] = .init("name", .string("/\(root)/\(name)"))
      return .of([.init("task", .object(members))])
    }
    return .of(members)
  }

  private static func task(_ json: JSONValue, root: String) throws -> NewTask {
    var task = NewTask()
    if let name = json["name"]?.string, !name.isEmpty {
      guard name.hasPrefix(root + "/") else {
        throw ServiceError(.invalidArgument, "The task's name must begin with \(root)/.")
      }
      task.name = String(name.dropFirst(root.count + 1))
    }
    if let text = json["scheduleTime"]?.string {
      guard let time = TimestampText.parse(text) else {
        throw ServiceError(.invalidArgument, "The task's scheduleTime is not a valid timestamp.")
      }
      task.due = time.microseconds
    }
    let http = json["httpRequest"]
    if let text = http?["body"]?.string {
      guard let body = Base64.decode(text) else {
        throw ServiceError(.invalidArgument, "The body of the task's request is not valid Base64.")
      }
      task.body = body
    }
    for member in http?["headers"]?.members ?? [] {
      let name = member.key.lowercased()
      guard let value = member.value.string, HTTPField.Name(name) != nil,
        HTTPField.isValidValue(value)
      else {
        throw ServiceError(
          .invalidArgument,
          "The header \(member.key.prefix(40)) is not allowed in a task's request."
        )
      }
      task.headers[name] = value
    }
    return task
  }

  private func delete(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    try await environment.bus.deleteTask(
      request.variable("task"),
      queue: request.variable("queue"),
      location: request.variable("location"),
      project: project
    )
    return .of([])
  }
}

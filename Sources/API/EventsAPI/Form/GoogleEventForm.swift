import BaseJSON
import BaseStatus
import BaseText
import DocumentStore
import Events

/// Gives events the forms that Google's functions SDKs read: CloudEvents, the first generation's JSON, and the requests of
/// schedules and task queues.
package struct GoogleEventForm: EventEncoding {
  private typealias Header = FunctionDelivery.Header

  /// The location that events of databases name.
  private let location: String

  /// Forms whose events are of that location.
  package init(location: String = "us-central1") { self.location = location }

  /// The request of an attempt; throws for an event that has no form.
  package func request(for attempt: EventAttempt) throws -> EventRequest {
    guard let source = attempt.trigger.source else { return try plainRequest(attempt) }
    if attempt.trigger.stored.target != nil { return try cloudEvent(attempt, source) }
    return try source.isFirstGeneration
      ? background(attempt, source) : cloudEvent(attempt, source)
  }

  // MARK: CloudEvents

  private func cloudEvent(
    _ attempt: EventAttempt,
    _ source: EventSource
  ) throws -> EventRequest {
    var attributes = attributes(of: attempt, source)
    let (body, type) = try data(of: attempt, source)
    let text = attributes.allSatisfy { Self.isPrintable($0.value) }
    guard text else { return structured(attributes, body, type) }
    attributes = attributes.map { ("ce-" + $0.name, $0.value) }
    var headers = attributes.map { Header($0.name, $0.value) }
    headers.append(Header("content-type", type))
    return EventRequest(signature: .cloudEvent, headers: headers, body: body)
  }

  /// Names and values of attributes that no header can carry go into the body.
  private func structured(
    _ attributes: [(name: String, value: String)],
    _ body: [UInt8],
    _ type: String
  ) -> EventRequest {
    var members = attributes.map { JSONValue.Member($0.name, .string($0.value)) }
    members.append(.init("datacontenttype", .string(type)))
    if type == Self.json, let text = String(validating: body, as: UTF8.self),
      let data = try? JSONValue(parsing: text)
    {
      members.append(.init("data", data))
    } else {
      members.append(.init("data_base64", .string(Base64.standard(body))))
    }
    return EventRequest(
      signature: .cloudEvent,
      headers: [Header("content-type", "application/cloudevents+json")],
      body: JSONValue.object(members).compactBytes
    )
  }

  private static let json = "application/json"
  private static let schema =
    "https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto"

  private static func isPrintable(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  private func attributes(
    of attempt: EventAttempt,
    _ source: EventSource
  ) -> [(name: String, value: String)] {
    let event = attempt.event
    var attributes: [(name: String, value: String)] = [
      ("specversion", "1.0"), ("id", attempt.id), ("time", EventTime.text(event.time)),
      ("type", attempt.trigger.stored.eventType ?? ""),
    ]
    switch source.family {
    case .documents:
      attributes += [
        ("source", "//firestore.googleapis.com/projects/\(event.project)/databases/\(event.scope)"),
        ("subject", "documents/\(event.subject)"), ("location", location),
        ("project", event.project), ("database", event.scope), ("namespace", "(default)"),
        ("document", event.subject), ("dataschema", Self.schema),
      ]
      if source.tellsAuthor {
        // Python's SDK takes both to be there.
        attributes += [
          ("authtype", event.author.typeName),
          ("authid", event.author.id ?? event.author.typeName),
        ]
      }
    case .objects:
      attributes += [
        ("source", "//storage.googleapis.com/projects/_/buckets/\(event.scope)"),
        ("subject", "objects/\(event.subject)"), ("bucket", event.scope),
      ]
    case .topics:
      attributes.append(
        ("source", "//pubsub.googleapis.com/projects/\(event.project)/topics/\(event.scope)")
      )
    case .configuration:
      attributes.append(
        ("source", "//firebaseremoteconfig.googleapis.com/projects/\(event.project)")
      )
    case .accounts:
      attributes += [
        ("source", "//firebaseauth.googleapis.com/projects/\(event.project)"),
        ("subject", "users/\(event.subject)"),
      ]
    case .analytics:
      let app = event.attributes["app"].map { "/apps/\($0)" } ?? ""
      attributes += [
        ("source", "//firebaseanalytics.googleapis.com/projects/\(event.project)\(app)"),
        ("subject", "events/\(event.scope)"),
      ]
    case .custom:
      let given = event.attributes.filter { !["specversion", "datacontenttype"].contains($0.key) }
      attributes.removeAll { given[$0.name] != nil }
      attributes += given.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    if attempt.trigger.stored.target != nil, event.author.depth > 0 {
      attributes.append(("brasadepth", "\(event.author.depth)"))
    }
    return attributes
  }

  /// A version of Remote Config with the members that Google's SDKs read whether they say something or not, and with a time
  /// that has a fraction.
  static func completeVersion(_ data: [UInt8]) throws -> [UInt8] {
    let version = try JSONParser.parse(data)
    let user = version["updateUser"]
    let names: [JSONValue.Member] = ["name", "email", "imageUrl"].map {
      .init($0, user?[$0] ?? .string(""))
    }
    let time = version["updateTime"]?.string ?? ""
    let known = ["updateUser", "description", "updateTime"]
    let rest = version.members?.filter { !known.contains($0.key) } ?? []
    return JSONValue.object(
      rest + [
        .init(
          "updateTime",
          .string(time.contains(".") ? time : time.replacing("Z", with: ".000Z"))
        ),
        .init("updateUser", .object(names)),
        .init("description", version["description"] ?? .string("")),
      ]
    )
    .compactBytes
  }

  private func data(
    of attempt: EventAttempt,
    _ source: EventSource
  ) throws -> (body: [UInt8], type: String) {
    let event = attempt.event
    if source.family == .configuration {
      return (try Self.completeVersion(event.data), Self.json)
    }
    guard source.family == .documents else {
      return (event.data, event.attributes["datacontenttype"] ?? Self.json)
    }
    let form = try DocumentForm(event)
    if attempt.trigger.stored.target?.isJSON == true { return (form.json.compactBytes, Self.json) }
    return (form.protobuf, "application/protobuf")
  }

  // MARK: The first generation

  private func background(
    _ attempt: EventAttempt,
    _ source: EventSource
  ) throws -> EventRequest {
    let event = attempt.event
    var data = try Self.parsed(event.data)
    let resource: JSONValue
    switch source.family {
    case .documents:
      data = try DocumentForm(event).json
      resource = .string(
        "projects/\(event.project)/databases/\(event.scope)/documents/\(event.subject)"
      )
    case .objects:
      resource = Self.resource(
        "storage.googleapis.com",
        "projects/_/buckets/\(event.scope)/objects/\(event.subject)",
        type: "storage#object"
      )
    case .topics:
      resource = Self.resource(
        "pubsub.googleapis.com",
        "projects/\(event.project)/topics/\(event.scope)"
      )
      data = Self.pubsubMessage(data)
    case .analytics:
      resource = .string("projects/\(event.project)/events/\(event.scope)")
    case .accounts, .configuration, .custom: resource = .string("projects/\(event.project)")
    }
    return Self.background(attempt, resource, data)
  }

  private static func background(
    _ attempt: EventAttempt,
    _ resource: JSONValue,
    _ data: JSONValue,
    type: String? = nil
  ) -> EventRequest {
    let context = JSONValue.object([
      .init("eventId", .string(attempt.id)),
      .init("timestamp", .string(EventTime.text(attempt.event.time))),
      .init("eventType", .string(type ?? attempt.trigger.stored.eventType ?? "")),
      .init("resource", resource),
    ])
    let body = JSONValue.object([.init("context", context), .init("data", data)])
    return EventRequest(
      signature: .background,
      headers: [Header("content-type", json)],
      body: body.compactBytes
    )
  }

  private static func resource(
    _ service: String,
    _ name: String,
    type: String? = nil
  ) -> JSONValue {
    var members = [
      JSONValue.Member("service", .string(service)), JSONValue.Member("name", .string(name)),
    ]
    if let type { members.append(.init("type", .string(type))) }
    return .object(members)
  }

  private static func pubsubMessage(_ data: JSONValue) -> JSONValue {
    let message = data["message"] ?? data
    return .object([
      .init("@type", .string("type.googleapis.com/google.pubsub.v1.PubsubMessage")),
      .init("data", message["data"] ?? .string("")),
      .init("attributes", message["attributes"] ?? .object([JSONValue.Member]())),
    ])
  }

  private static func parsed(_ data: [UInt8]) throws -> JSONValue {
    guard !data.isEmpty else { return .object([JSONValue.Member]()) }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ServiceError(.internalError, "The event's data is not UTF-8.")
    }
    return try JSONValue(parsing: text)
  }

  // MARK: Schedules and tasks

  private func plainRequest(_ attempt: EventAttempt) throws -> EventRequest {
    switch attempt.trigger.stored.cause {
    case .schedule(let declared): return schedule(attempt, declared)
    case .queue: return task(attempt)
    case .event:
      throw ServiceError(.internalError, "The trigger's event type is unknown.")
    }
  }

  private func schedule(
    _ attempt: EventAttempt,
    _ declared: ScheduleDeclaration
  ) -> EventRequest {
    let job = "firebase-schedule-\(declared.function)-\(declared.region)"
    if declared.isFirstGeneration {
      let topic = "projects/\(attempt.event.project)/topics/\(job)"
      return Self.background(
        attempt,
        Self.resource("pubsub.googleapis.com", topic),
        .object([
          .init("@type", .string("type.googleapis.com/google.pubsub.v1.PubsubMessage")),
          .init("attributes", .object([.init("scheduled", .string("true"))])),
        ]),
        type: "google.pubsub.topic.publish"
      )
    }
    return EventRequest(
      signature: .http,
      headers: [
        Header("x-cloudscheduler", "true"), Header("x-cloudscheduler-jobname", job),
        Header("x-cloudscheduler-scheduletime", EventTime.text(attempt.event.time)),
        Header("content-type", "application/octet-stream"),
      ],
      body: []
    )
  }

  private func task(_ attempt: EventAttempt) -> EventRequest {
    let event = attempt.event
    var headers = event.attributes.filter { $0.key.hasPrefix("header-") }
      .map { Header(String($0.key.dropFirst(7)), $0.value) }
      .sorted { $0.name < $1.name }
    if !headers.contains(where: { $0.name == "content-type" }) {
      headers.append(Header("content-type", Self.json))
    }
    headers += [
      Header("x-cloudtasks-queuename", attempt.trigger.stored.name),
      Header("x-cloudtasks-taskname", event.subject),
      Header("x-cloudtasks-taskretrycount", "\(attempt.failures)"),
      Header("x-cloudtasks-taskexecutioncount", "\(attempt.failures)"),
      Header("x-cloudtasks-tasketa", Self.seconds(event.time)),
    ]
    if attempt.lastStatus != 0 {
      headers += [
        Header("x-cloudtasks-taskpreviousresponse", "\(attempt.lastStatus)"),
        Header("x-cloudtasks-taskretryreason", "HTTP status code \(attempt.lastStatus)"),
      ]
    }
    return EventRequest(signature: .http, headers: headers, body: event.data)
  }

  private static func seconds(_ microseconds: Int64) -> String {
    let rest = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest)"
  }
}

extension CommitAuthor {
  /// `authtype` of events.
  var typeName: String {
    switch kind {
    case .system: "system"
    case .user: "app_user"
    case .administrator: "service_account"
    case .nobody: "unauthenticated"
    }
  }
}

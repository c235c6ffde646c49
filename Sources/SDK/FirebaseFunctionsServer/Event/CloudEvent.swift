import BaseJSON
import Foundation

/// An event as the host sends it: a CloudEvent in binary or structured mode, or an event of the first generation, which
/// accounts have.
struct CloudEvent {
  var attributes: [String: String] = [:]
  var data = Data()

  static let malformed = FunctionError(.invalidArgument, "The request is not a CloudEvent.")

  init(_ request: HTTPFunctionRequest) throws {
    if request.header("content-type")?.hasPrefix("application/cloudevents+json") == true {
      try readStructured(request.body)
    } else {
      for (name, value) in request.headers {
        let name = name.lowercased()
        if name.hasPrefix("ce-") { attributes[String(name.dropFirst(3))] = value }
      }
      data = request.body
      if attributes["id"] == nil { readFirstGeneration(request.body) }
    }
    guard attributes["id"] != nil, attributes["type"] != nil else { throw Self.malformed }
  }

  private mutating func readFirstGeneration(_ body: Data) {
    guard let event = try? JSONParser.parse(Array(body)), let context = event["context"] else {
      return
    }
    attributes["id"] = context["eventId"]?.string
    attributes["type"] = context["eventType"]?.string
    attributes["time"] = context["timestamp"]?.string
    data = Data((event["data"] ?? .null).compactBytes)
  }

  private mutating func readStructured(_ body: Data) throws {
    guard let members = try? JSONParser.parse(Array(body)).members else { throw Self.malformed }
    for member in members {
      switch (member.key, member.value) {
      case ("data_base64", .string(let text)): data = Data(base64Encoded: text) ?? Data()
      case ("data", let value): data = Data(value.compactBytes)
      case (let name, .string(let text)): attributes[name] = text
      default: continue
      }
    }
  }

  var id: String { attributes["id"] ?? "" }

  var time: Date { Self.time(attributes["time"] ?? "") ?? Date(timeIntervalSince1970: 0) }

  /// A time in the text of RFC 3339; nil for another text.
  static func time(_ text: String) -> Date? {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
    return try? style.parse(text)
  }
}

/// An event of a file, a topic, a channel, an account or analytics.
public struct FunctionEvent<Payload: Sendable>: Sendable {
  /// The id of the event, the same at every attempt to deliver it.
  public let id: String
  /// The type of the event.
  public let type: String
  /// The thing that changed, such as `objects/photo.png`.
  public let subject: String?
  /// The time of the cause.
  public let time: Date
  /// All attributes by their names.
  public let attributes: [String: String]
  /// The data of the event.
  public let data: Payload
}

/// A file in an event.
public struct StoredFile: Decodable, Sendable {
  /// The file's name.
  public let name: String
  /// The bucket's name.
  public let bucket: String
  /// The type of the content.
  public let contentType: String?
  /// The number of bytes, as text.
  public let size: String?
  /// The version of the content, as text.
  public let generation: String?
  /// The metadata of the file's owner.
  public let metadata: [String: String]?
}

/// A message of a topic.
public struct PublishedMessage: Decodable, Sendable {
  /// The message's bytes.
  public let data: Data
  /// The attributes of the message.
  public let attributes: [String: String]?
  /// The message's id.
  public let messageId: String

  /// The bytes, decoded from JSON.
  public func json<T: Decodable>(as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: data)
  }
}

private struct MessageEnvelope: Decodable, Sendable { let message: PublishedMessage }

extension Function {
  /// A function that runs when a file is stored or replaced.
  ///
  /// - Parameter bucket: The bucket's name; nil is the project's default bucket.
  public static func onObjectFinalized(
    _ name: String,
    bucket: String? = nil,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (FunctionEvent<StoredFile>) async throws -> Void
  ) -> Function {
    objectFunction(name, "finalized", bucket, options, handler)
  }

  /// A function that runs when a file is deleted.
  ///
  /// - Parameter bucket: The bucket's name; nil is the project's default bucket.
  public static func onObjectDeleted(
    _ name: String,
    bucket: String? = nil,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (FunctionEvent<StoredFile>) async throws -> Void
  ) -> Function {
    objectFunction(name, "deleted", bucket, options, handler)
  }
}

private func objectFunction(
  _ name: String,
  _ change: String,
  _ bucket: String?,
  _ options: FunctionOptions,
  _ handler: @escaping @Sendable (FunctionEvent<StoredFile>) async throws -> Void
) -> Function {
  eventFunction(
    name,
    "google.cloud.storage.object.v1.\(change)",
    ["bucket": bucket ?? FunctionServer.defaultBucket],
    options,
    decode: { try JSONDecoder().decode(StoredFile.self, from: $0) },
    handler
  )
}

extension Function {
  /// A function that runs when a message is published on a topic.
  public static func onMessagePublished(
    _ name: String,
    topic: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (FunctionEvent<PublishedMessage>) async throws -> Void
  ) -> Function {
    eventFunction(
      name,
      "google.cloud.pubsub.topic.v1.messagePublished",
      ["topic": topic],
      options,
      decode: { try JSONDecoder().decode(MessageEnvelope.self, from: $0).message },
      handler
    )
  }

  /// A function that runs when a back end publishes an event of its own type.
  public static func onCustomEvent<Payload: Decodable & Sendable>(
    _ name: String,
    type: String,
    channel: String = "locations/us-central1/channels/firebase",
    as payload: Payload.Type = Payload.self,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (FunctionEvent<Payload>) async throws -> Void
  ) -> Function {
    eventFunction(
      name,
      type,
      [:],
      options,
      channel: channel,
      decode: { try JSONDecoder().decode(Payload.self, from: $0) },
      handler
    )
  }
}

func eventFunction<Payload: Sendable>(
  _ name: String,
  _ type: String,
  _ filters: [String: String],
  _ options: FunctionOptions,
  channel: String? = nil,
  decode: @escaping @Sendable (Data) throws -> Payload,
  _ handler: @escaping @Sendable (FunctionEvent<Payload>) async throws -> Void
) -> Function {
  var content: [JSONValue.Member] = [
    .init("eventType", .string(type)),
    .init("eventFilters", .object(filters.map { .init($0.key, .string($0.value)) })),
    .init("retry", .boolean(options.retries)),
  ]
  if let channel { content.append(.init("channel", .string(channel))) }
  return Function(name, "eventTrigger", content, isEvent: true, options: options) { request in
    let event = try CloudEvent(request)
    try await handler(
      FunctionEvent(
        id: event.id,
        type: event.attributes["type"] ?? type,
        subject: event.attributes["subject"],
        time: event.time,
        attributes: event.attributes,
        data: try decode(event.data)
      )
    )
    return HTTPFunctionResponse(status: 204)
  }
}

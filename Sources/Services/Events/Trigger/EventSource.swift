import BaseStatus

/// The cause that a trigger waits for, read from its event type and filters.
package struct EventSource: Sendable, Hashable {
  /// The products that events come from.
  package enum Family: Sendable, Hashable {
    case documents, accounts, objects, configuration, topics, custom, analytics
  }

  /// The changes that a trigger may choose from; nil in a source is every change of a document.
  package enum Change: UInt8, Sendable, Hashable {
    case created = 1
    case updated, deleted, finalized, archived, metadataUpdated
  }

  /// The product.
  package let family: Family
  /// The database's id, the bucket, the topic, the channel or the key event's name; empty where the project is all.
  package let scope: String
  /// The change; nil is any.
  package var change: Change?
  /// The path pattern of documents.
  package var pattern = ""
  /// True if events are sent in the form of the first generation.
  package var isFirstGeneration = false
  /// True if the events of documents tell the principal.
  package var tellsAuthor = false
  /// Attributes that events of channels must have; `type` is among them.
  package var attributes: [String: String] = [:]

  /// Reads a declaration; throws INVALID_ARGUMENT for one that no event matches.
  package init(_ declared: TriggerDeclaration, project: String) throws {
    let type = declared.eventType
    if let source = try Self.documents(declared, project) ?? Self.objects(declared) {
      self = source
      return
    }
    switch type {
    case "providers/firebase.auth/eventTypes/user.create",
      "providers/firebase.auth/eventTypes/user.delete":
      self.init(.accounts, "", isFirst: true)
      change = type.hasSuffix("create") ? .created : .deleted
    case "google.firebase.remoteconfig.remoteConfig.v1.updated":
      self.init(.configuration, "")
    case "google.firebase.remoteconfig.update":
      self.init(.configuration, "", isFirst: true)
    case "google.cloud.pubsub.topic.v1.messagePublished":
      self.init(.topics, try Self.required("topic", of: declared))
    case "google.pubsub.topic.publish":
      let resource = try Self.required("resource", of: declared)
      self.init(.topics, Self.last(of: resource), isFirst: true)
    case "providers/google.firebase.analytics/eventTypes/event.log", "google.analytics.event.log":
      self.init(.analytics, try Self.keyEvent(declared, project), isFirst: true)
    case "google.firebase.analytics.log.v1.written":
      self.init(.analytics, try Self.keyEvent(declared, project))
    default:
      guard let channel = declared.channel else {
        throw Self.refusal(declared, "Brasa does not support its event type \(type)")
      }
      self.init(.custom, Self.channel(channel, region: declared.region))
      attributes = declared.filters
      attributes["type"] = type
    }
  }

  private init(_ family: Family, _ scope: String, isFirst: Bool = false) {
    self.family = family
    self.scope = scope
    isFirstGeneration = isFirst
  }

  private static func documents(
    _ declared: TriggerDeclaration,
    _ project: String
  ) throws -> EventSource? {
    let second = "google.cloud.firestore.document.v1."
    let first = "providers/cloud.firestore/eventTypes/document."
    if declared.eventType.hasPrefix(second) {
      var name = declared.eventType.dropFirst(second.count)
      let tells = name.hasSuffix(".withAuthContext")
      if tells { name = name.dropLast(".withAuthContext".count) }
      var source = EventSource(.documents, declared.filters["database"] ?? "(default)")
      source.tellsAuthor = tells
      source.pattern =
        try declared.pathPatterns["document"] ?? required("document", of: declared)
      source.change = try change(name, of: declared)
      return source
    }
    guard declared.eventType.hasPrefix(first) else { return nil }
    let resource = try required("resource", of: declared)
    let parts = resource.split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "projects", parts[1] == project, parts[2] == "databases",
      parts[4] == "documents"
    else { throw refusal(declared, "its resource \(resource) is not a document of this project") }
    var source = EventSource(.documents, String(parts[3]), isFirst: true)
    source.pattern = String(parts[5])
    source.change = try change(declared.eventType.dropFirst(first.count), of: declared)
    return source
  }

  private static func change(_ name: Substring, of declared: TriggerDeclaration) throws -> Change? {
    switch name {
    case "written", "write": nil
    case "created", "create": .created
    case "updated", "update": .updated
    case "deleted", "delete": .deleted
    default: throw refusal(declared, "its event type \(declared.eventType) is unknown")
    }
  }

  private static func objects(_ declared: TriggerDeclaration) throws -> EventSource? {
    let second = "google.cloud.storage.object.v1."
    let first = "google.storage.object."
    let isFirst = declared.eventType.hasPrefix(first)
    guard isFirst || declared.eventType.hasPrefix(second) else { return nil }
    let bucket =
      try isFirst
      ? last(of: required("resource", of: declared)) : required("bucket", of: declared)
    var source = EventSource(.objects, bucket, isFirst: isFirst)
    switch declared.eventType.dropFirst(isFirst ? first.count : second.count) {
    case "finalized", "finalize": source.change = .finalized
    case "deleted", "delete": source.change = .deleted
    case "archived", "archive": source.change = .archived
    case "metadataUpdated", "metadataUpdate": source.change = .metadataUpdated
    default: throw refusal(declared, "its event type \(declared.eventType) is unknown")
    }
    return source
  }

  /// The name of a key event: the filter `event`, or the end of the resource `projects/P/events/NAME`.
  private static func keyEvent(
    _ declared: TriggerDeclaration,
    _ project: String
  ) throws -> String {
    if let name = declared.filters["event"], !name.isEmpty { return name }
    let resource = try required("resource", of: declared)
    let parts = resource.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "projects", parts[1] == project, parts[2] == "events",
      !parts[3].isEmpty
    else {
      throw refusal(declared, "its resource \(resource) is not a key event of this project")
    }
    return String(parts[3])
  }

  private static func required(_ filter: String, of declared: TriggerDeclaration) throws -> String {
    guard let value = declared.filters[filter], !value.isEmpty else {
      throw refusal(declared, "its event filter \(filter) is missing")
    }
    return value
  }

  static func refusal(_ declared: TriggerDeclaration, _ reason: String) -> ServiceError {
    ServiceError(.invalidArgument, "The trigger \(declared.function) can't be served: \(reason).")
  }

  private static func last(of resource: String) -> String {
    resource.split(separator: "/").last.map(String.init) ?? resource
  }

  /// The channel as `locations/L/channels/C`.
  package static func channel(_ name: String, region: String) -> String {
    let parts = name.split(separator: "/")
    switch parts.count {
    case 1: return "locations/\(region)/channels/\(parts[0])"
    case 6: return parts[2...].joined(separator: "/")
    default: return parts.joined(separator: "/")
    }
  }
}

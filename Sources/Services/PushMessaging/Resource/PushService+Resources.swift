import BaseText
import Crypto
import KeyValueStore

// The push resources of clients that connect: making them, sending to them, and what became of it.

extension PushService {
  /// Creates a registration's push resource of a name, and replaces one with that name.
  ///
  /// Returns its capability: the end of its URL at an origin, which is random and stored only as
  /// its hash.
  ///
  /// INVALID_ARGUMENT for a name that is none or a registration of another way, QUOTA_EXCEEDED where it has too many.
  package func makePushResource(
    named name: String,
    vapidKey: [UInt8]?,
    at origin: String,
    for registration: Registration
  ) async throws -> String {
    guard registration.address == .direct else {
      throw MessagingError.invalid(
        "token",
        "The registration does not belong to a client with a direct connection."
      )
    }
    guard name.utf8.count <= 100, name.isURLSafe else {
      throw MessagingError.invalid("name", "A name must have 1 to 100 letters, digits, - and _.")
    }
    try requireSpace()
    let capability = Base64.url(random(24))
    let (limit, hash) = (limits.pushResources, Self.hash(capability))
    try await write { group in
      let key = Self.ownKey(registration).text(name).bytes
      if let older = try group.get(key) {
        try group.delete(MessagingKey(.resource, bytes: Array(older)).bytes)
      } else if try Self.resources(of: registration, group).count >= limit {
        throw MessagingError(.quotaExceeded, "The registration has too many push resources.")
      }
      let resource = PushResource(
        project: registration.project,
        registration: registration.number,
        name: name,
        vapidKey: vapidKey,
        origin: origin
      )
      try group.put(MessagingKey(.resource, bytes: hash).bytes, resource.encoded)
      try group.put(key, hash)
    }
    return capability
  }

  /// Ends a registration's push resource; UNREGISTERED where there is none of that name.
  package func endPushResource(named name: String, of registration: Registration) async throws {
    try await write { group in
      let key = Self.ownKey(registration).text(name).bytes
      guard let hash = try group.get(key) else { throw MessagingError.unregistered }
      try group.delete(MessagingKey(.resource, bytes: Array(hash)).bytes)
      try group.delete(key)
    }
  }

  /// The push resource of a capability; UNREGISTERED for one that is unknown or ended.
  package func pushResource(_ capability: String) async throws -> PushResource {
    guard capability.utf8.count <= 100 else { throw MessagingError.unregistered }
    let key = MessagingKey(.resource, bytes: Self.hash(capability)).bytes
    guard let found = try await read({ try $0.get(key).map { try PushResource(decoding: $0) } })
    else { throw MessagingError.unregistered }
    return found
  }

  /// Accepts a message for the client of a push resource and gives its id; durable when it returns.
  ///
  /// QUOTA_EXCEEDED while the rest of the disk is reserved for others.
  package func push(
    _ message: PushedMessage,
    to resource: PushResource
  ) async throws -> String {
    try requireSpace()
    let (content, streams) = (message.content(for: resource), streams)
    let id = try await writeDeliveries { book in
      guard
        let known = try Registration.read(resource.project, resource.registration, book.group),
        known.gone == nil, known.address == .direct
      else { throw MessagingError.unregistered }
      let id = try book.group.allocateVersion()
      let stored = StoredMessage(
        project: resource.project,
        id: id,
        content: content,
        target: .registration(resource.registration),
        origin: "push",
        stage: .expanded,
        start: book.now,
        cutoff: id
      )
      try book.make(stored)
      let isConnected = streams.isConnected(known.mailbox)
      try book.add(stored, to: known, isConnected: isConnected, isSole: true)
      return id
    }
    figures.accepted.add(1, ordering: .relaxed)
    return StoredMessage.name(of: id)
  }

  /// Returns the state of a message that was sent to a push resource; throws UNREGISTERED for one
  /// that was not.
  package func state(
    of name: String,
    sentTo resource: PushResource
  ) async throws -> Delivery.State {
    try await read { reader in
      let id = try Self.pushed(name, resource, reader)
      let key = MessagingKey(.delivery, resource.project, id, resource.registration).bytes
      guard let delivery = try reader.get(key).map({ try Delivery(decoding: $0) }) else {
        throw MessagingError.unregistered
      }
      return delivery.state
    }
  }

  /// Takes back a message that waits for the client of a push resource; UNREGISTERED for one that does not.
  package func withdraw(_ name: String, sentTo resource: PushResource) async throws {
    try await writeDeliveries { book in
      let id = try Self.pushed(name, resource, book.group)
      let (project, number) = (resource.project, resource.registration)
      guard try book.move(project, id, number, to: .expired, reason: "withdrawn") else {
        throw MessagingError.unregistered
      }
    }
  }

  /// The number of a message by its name, if it was sent to that resource.
  private static func pushed(
    _ name: String,
    _ resource: PushResource,
    _ reader: any KeyValueReader
  ) throws -> Int64 {
    guard let id = StoredMessage.id(of: name),
      let message = try StoredMessage.read(resource.project, id, reader),
      message.target == .registration(resource.registration),
      message.content.pushed?["resource"]?.string == resource.name
    else { throw MessagingError.unregistered }
    return id
  }

  /// Ends all push resources of a registration.
  static func endPushResources(
    of registration: Registration,
    _ group: any KeyValueGroup
  ) throws {
    for (key, hash) in try resources(of: registration, group) {
      try group.delete(MessagingKey(.resource, bytes: hash).bytes)
      try group.delete(key)
    }
  }

  private static func resources(
    of registration: Registration,
    _ reader: any KeyValueReader
  ) throws -> [(key: [UInt8], hash: [UInt8])] {
    let cursor = try reader.cursor(over: ownKey(registration).range, reversed: false)
    var found: [(key: [UInt8], hash: [UInt8])] = []
    while try cursor.next() { found.append((Array(cursor.key), Array(cursor.value))) }
    return found
  }

  private static func ownKey(_ registration: Registration) -> MessagingKey {
    MessagingKey(.ownResource, registration.project, registration.number)
  }

  private static func hash(_ capability: String) -> [UInt8] {
    Array(SHA256.hash(data: Array(capability.utf8)))
  }
}

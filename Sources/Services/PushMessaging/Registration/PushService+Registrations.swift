import BaseText
import Crypto
import KeyValueStore

// Making, changing, finding and ending registrations.

/// An app's request to register.
package struct RegistrationRequest: Sendable {
  /// The id of the project in which the app registers.
  package let project: Text
  /// The id of the app's installation, which its authentication token proves.
  package let installation: String
  /// The app's id in Google's form, such as `1:42:ios:ab`.
  package let appID: String
  /// The address to which messages are sent.
  package let address: PushAddress
  /// The app's description of itself; empty texts where it gives none.
  package var details = Registration.Details()
  /// The user of a verified token.
  package var uid: String?

  /// An app's address.
  package init(project: Text, installation: String, appID: String, address: PushAddress) {
    self.project = project
    self.installation = installation
    self.appID = appID
    self.address = address
  }
}

/// The room for one more registration.
private struct RegistrationRoom: Sendable {
  let ofProject: Int64
  let inAll: Int64
  private let service: PushService

  init(_ service: PushService) {
    self.service = service
    ofProject = Int64(service.limits.registrations)
    inAll = service.limits.registrationsInAll
  }

  func require() throws(MessagingError) { try service.requireSpace() }
}

extension PushService {
  /// Makes the registration of an installation and app, or renews it, and gives its new token.
  package func register(_ request: RegistrationRequest) async throws -> String {
    let token = RegistrationToken.make(
      installation: request.installation,
      project: request.project,
      random: random(16)
    )
    let room = RegistrationRoom(self)
    try await writeDeliveries { book in
      try Self.put(request, tokenHash: RegistrationToken.hash(token), room, &book)
    }
    return token
  }

  /// Changes the address of a token's registration and keeps the token.
  package func renew(_ token: String, _ request: RegistrationRequest) async throws {
    let room = RegistrationRoom(self)
    try await writeDeliveries { book in
      let known = try Self.registration(of: token, request.project, book.group)
      guard known.installation == request.installation, known.appID == request.appID else {
        throw MessagingError.unregistered
      }
      try Self.put(request, tokenHash: known.tokenHash, room, &book)
    }
  }

  private static func put(
    _ request: RegistrationRequest,
    tokenHash: [UInt8],
    _ room: RegistrationRoom,
    _ book: inout DeliveryBook
  ) throws {
    let group = book.group
    try endOther(of: request, &book)
    let identity = identityKey(request.project, request.installation, request.appID)
    var registration: Registration
    if let number = try group.get(identity).map({ try NumberValue.decode($0) }),
      let known = try Registration.read(request.project, number, group)
    {
      registration = known
      if known.tokenHash != tokenHash {
        try group.delete(MessagingKey(.token, bytes: known.tokenHash).bytes)
      }
      try removeLookups(known, group)
      registration.address = request.address
      registration.details = request.details
      registration.uid = request.uid
      registration.tokenHash = tokenHash
      registration.renewed = book.now
    } else {
      registration = try make(request, tokenHash: tokenHash, room, book)
      try group.put(identity, NumberValue.encode(registration.number))
    }
    let value = ProjectValue(request.project, registration.number)
    try group.put(MessagingKey(.token, bytes: tokenHash).bytes, value.encoded)
    try putLookups(registration, group)
    try book.save(registration)
  }

  private static func make(
    _ request: RegistrationRequest,
    tokenHash: [UInt8],
    _ room: RegistrationRoom,
    _ book: DeliveryBook
  ) throws -> Registration {
    try room.require()
    try countRegistrations(1, limit: room.inAll, book.group)
    try change(request.project, book.group) { record in
      guard record.registrations < room.ofProject else {
        throw MessagingError(.quotaExceeded, "The project has too many registrations.")
      }
      record.registrations += 1
    }
    return Registration(
      project: request.project,
      number: try book.group.allocateVersion(),
      installation: request.installation,
      appID: request.appID,
      address: request.address,
      details: request.details,
      uid: request.uid,
      tokenHash: tokenHash,
      now: book.now
    )
  }

  /// Ends the registration of another installation at the same address: the app was installed
  /// again, and would show every message twice.
  private static func endOther(
    of request: RegistrationRequest,
    _ book: inout DeliveryBook
  ) throws {
    guard let key = addressKey(request.project, request.address),
      let number = try book.group.get(key).map({ try NumberValue.decode($0) }),
      let other = try Registration.read(request.project, number, book.group),
      other.installation != request.installation || other.appID != request.appID
    else { return }
    try end(other, reason: "replaced", &book)
  }

  // MARK: Finding

  /// The live registration of a token, or of an installation's id: UNREGISTERED, or SENDER_ID_MISMATCH for another
  /// project's.
  static func registration(
    of token: String,
    _ project: Text,
    _ reader: any KeyValueReader
  ) throws -> Registration {
    if RegistrationToken.isInstallation(token) {
      return try registration(ofInstallation: token, project, reader)
    }
    guard RegistrationToken.isWellFormed(token) else {
      throw MessagingError.invalid(
        "message.token",
        "The registration token is not a valid FCM registration token",
        .token
      )
    }
    let key = MessagingKey(.token, bytes: RegistrationToken.hash(token)).bytes
    guard let found = try reader.get(key).map({ try ProjectValue(decoding: $0) }) else {
      throw MessagingError.unregistered
    }
    guard found.project == project else {
      throw MessagingError(.senderIDMismatch, "SenderId mismatch")
    }
    guard let registration = try Registration.read(project, found.number, reader),
      registration.gone == nil
    else { throw MessagingError.unregistered }
    return registration
  }

  private static func registration(
    ofInstallation id: String,
    _ project: Text,
    _ reader: any KeyValueReader
  ) throws -> Registration {
    let prefix = MessagingKey(.identity, project).text(id)
    let number = try numbers(under: prefix, atMost: 1, reader) {
      try NumberValue.decode($0.value)
    }.first
    guard let number, let known = try Registration.read(project, number, reader),
      known.gone == nil
    else { throw MessagingError.unregistered }
    return known
  }

  /// The live registration of a token.
  package func registration(of token: String, in project: Text) async throws -> Registration {
    try await read { try Self.registration(of: token, project, $0) }
  }

  /// The live registration of a token of any project: for callers who show it to be theirs.
  package func registration(of token: String) async throws -> Registration {
    guard RegistrationToken.isWellFormed(token) else {
      throw MessagingError.invalid("token", "The registration token is not valid.", .token)
    }
    let key = MessagingKey(.token, bytes: RegistrationToken.hash(token)).bytes
    return try await read { reader in
      guard let found = try reader.get(key).map({ try ProjectValue(decoding: $0) }) else {
        throw MessagingError.unregistered
      }
      return try Self.registration(of: token, found.project, reader)
    }
  }

  /// The numbers of an installation's registrations, or a user's; at most so many.
  static func numbers(
    under prefix: MessagingKey,
    atMost limit: Int,
    _ reader: any KeyValueReader,
    number: (any KeyValueCursor) throws -> Int64
  ) throws -> [Int64] {
    let cursor = try reader.cursor(over: prefix.range, reversed: false)
    var numbers: [Int64] = []
    while numbers.count < limit, try cursor.next() { numbers.append(try number(cursor)) }
    return numbers
  }

  // MARK: Ending

  /// Ends a token's registration.
  package func unregister(_ token: String, of project: Text, installation: String) async throws {
    let mailbox = try await writeDeliveries { book in
      let known = try Self.registration(of: token, project, book.group)
      guard known.installation == installation else { throw MessagingError.unregistered }
      try Self.end(known, reason: "unregistered", &book)
      return MailboxID(project: project, number: known.number)
    }
    streams.end(mailbox)
  }

  /// Removes a user from registrations within another write, such as a sign-out everywhere or a
  /// revocation: they stay the apps'.
  ///
  /// Also on a node that is not home: nothing of it is in memory where others write the store.
  package func forget(
    user uid: String,
    of project: Text,
    in group: any KeyValueGroup
  ) throws {
    guard !uid.isEmpty else { return }
    let book = DeliveryBook(group, now: now, memory: streams.memory)
    let prefix = MessagingKey(.user, project).text(uid)
    let numbers = try Self.numbers(under: prefix, atMost: 10_000, group) {
      try MessagingKey.number(in: $0.key)
    }
    for number in numbers {
      try group.delete(prefix.number(number).bytes)
      guard var known = try Registration.read(project, number, group) else { continue }
      known.uid = nil
      try book.save(known)
    }
  }

  /// Marks a registration gone, with what waits for it.
  static func end(
    _ registration: Registration,
    reason: String,
    _ book: inout DeliveryBook
  ) throws {
    guard registration.gone == nil else { return }
    let group = book.group
    try removeLookups(registration, group)
    try group.delete(
      identityKey(registration.project, registration.installation, registration.appID)
    )
    for topic in try topics(of: registration, group).keys {
      try removeMember(registration, topic, group)
    }
    try endPushResources(of: registration, group)
    try deleteCaps(capKey(ofRegistration: registration), group, isAll: false)
    let mailbox = MessagingKey(.mailbox, registration.project, registration.number)
    let cursor = try group.cursor(over: mailbox.range, reversed: false)
    while try cursor.next() {
      let id = try NumberValue.decode(cursor.value)
      let (project, number) = (registration.project, registration.number)
      try book.move(project, id, number, to: .gone, reason: reason)
    }
    var ended = registration
    ended.gone = .init(reason: reason, at: book.now)
    ended.uid = nil
    try book.save(ended)
    try change(registration.project, group) { $0.registrations -= 1 }
  }

  // MARK: Lookups

  static func identityKey(_ project: Text, _ installation: String, _ appID: String) -> [UInt8] {
    MessagingKey(.identity, project).text(installation).text(appID).bytes
  }

  /// Returns the key that leads from an address to its registration; nil for clients that connect,
  /// which have none.
  static func addressKey(_ project: Text, _ address: PushAddress) -> [UInt8]? {
    guard address != .direct else { return nil }
    let name: String =
      switch address {
      case .apns(let token, let environment, let bundle):
        "apns \(environment.rawValue) \(bundle) \(token)"
      case .webPush(let endpoint, _, _, _): "webpush \(endpoint)"
      case .direct: ""
      }
    let hash = Array(SHA256.hash(data: Array(name.utf8)))
    return MessagingKey(.address, project).bytes + hash
  }

  private static func putLookups(
    _ registration: Registration,
    _ group: any KeyValueGroup
  ) throws {
    let number = NumberValue.encode(registration.number)
    if let key = addressKey(registration.project, registration.address) {
      try group.put(key, number)
    }
    if let uid = registration.uid {
      let key = MessagingKey(.user, registration.project).text(uid)
      try group.putMarker(key.number(registration.number).bytes)
    }
  }

  private static func removeLookups(
    _ registration: Registration,
    _ group: any KeyValueGroup
  ) throws {
    if let key = addressKey(registration.project, registration.address) { try group.delete(key) }
    if let uid = registration.uid {
      let key = MessagingKey(.user, registration.project).text(uid)
      try group.delete(key.number(registration.number).bytes)
    }
  }
}

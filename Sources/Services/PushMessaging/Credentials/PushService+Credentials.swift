import BaseText
import Crypto
import KeyValueStore

// The credentials of projects.

extension PushService {
  static func record(
    of project: Text,
    _ reader: any KeyValueReader
  ) throws -> ProjectRecord {
    try reader.get(MessagingKey(.project, project).bytes).map { try ProjectRecord(decoding: $0) }
      ?? ProjectRecord()
  }

  static func change<R>(
    _ project: Text,
    _ group: any KeyValueGroup,
    _ body: (inout ProjectRecord) throws -> R
  ) throws -> R {
    var record = try record(of: project, group)
    let result = try body(&record)
    try group.put(MessagingKey(.project, project).bytes, record.encoded)
    return result
  }

  /// The credentials for an address; nil where the project has none.
  static func credentials(
    for address: PushAddress,
    of record: ProjectRecord
  ) -> PushCredentials? {
    switch address {
    case .apns(_, _, let bundle): record.apnsKey(for: bundle).map(PushCredentials.apns)
    case .webPush: record.vapid.map(PushCredentials.vapid)
    case .direct: PushCredentials.none
    }
  }

  /// The project's VAPID pair, made by its first use.
  package func vapidPair(of project: Text, subject: String? = nil) async throws -> VAPIDPair {
    let known = try await read { try Self.record(of: project, $0).vapid }
    if let known, subject == nil || known.subject == subject { return known }
    let made = P256.Signing.PrivateKey()
    return try await write { group in
      try Self.change(project, group) { record in
        let pair = VAPIDPair(
          publicKey: record.vapid?.publicKey ?? Array(made.publicKey.x963Representation),
          privateKey: record.vapid?.privateKey ?? Array(made.rawRepresentation),
          subject: subject ?? record.vapid?.subject ?? "mailto:webpush@\(Self.domain(project))"
        )
        record.vapid = pair
        return pair
      }
    }
  }

  /// Replaces the VAPID pair, which ends every subscription for the one before; INVALID_ARGUMENT
  /// for any other value.
  package func setVAPIDPair(_ pair: VAPIDPair, of project: Text) async throws {
    let key = try? P256.Signing.PrivateKey(rawRepresentation: pair.privateKey)
    guard let key, Array(key.publicKey.x963Representation) == pair.publicKey else {
      throw MessagingError(.invalidArgument, "The VAPID keys are not a P-256 key pair.")
    }
    try await write { group in
      try Self.change(project, group) { $0.vapid = pair }
    }
  }

  /// Push services want an address that looks like one.
  private static func domain(_ project: Text) -> String {
    let isPlain = project.string.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
    }
    return isPlain ? "\(project.string).example.com" : "example.com"
  }

  /// Adds an APNs key and replaces one for the same bundle; INVALID_ARGUMENT for any other text.
  package func addAPNsKey(_ key: APNsKey, to project: Text) async throws {
    do {
      _ = try P256.Signing.PrivateKey(pemRepresentation: key.privateKey)
    } catch {
      throw MessagingError(
        .invalidArgument,
        "The key is not a P-256 private key in PEM format, such as Apple's .p8 file."
      )
    }
    guard
      [key.keyID, key.teamID].allSatisfy({ id in
        id.utf8.count == 10 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      })
    else {
      throw MessagingError(
        .invalidArgument,
        "The key ID and the team ID must each have ten letters and digits."
      )
    }
    try await write { group in
      try Self.change(project, group) { record in
        record.apnsKeys.removeAll { $0.bundle == key.bundle }
        record.apnsKeys.append(key)
      }
    }
  }

  /// Removes the APNs key of a bundle; false where there is none.
  package func removeAPNsKey(bundle: String, of project: Text) async throws -> Bool {
    try await write { group in
      try Self.change(project, group) { record in
        let before = record.apnsKeys.count
        record.apnsKeys.removeAll { $0.bundle == bundle }
        return record.apnsKeys.count < before
      }
    }
  }

  /// A project's credentials, with their secrets.
  package func credentials(
    of project: Text
  ) async throws -> (apnsKeys: [APNsKey], vapid: VAPIDPair?) {
    let record = try await read { try Self.record(of: project, $0) }
    return (record.apnsKeys, record.vapid)
  }

  /// The same; blocks.
  package func storedCredentials(
    of project: Text
  ) throws -> (apnsKeys: [APNsKey], vapid: VAPIDPair?) {
    let record = try reading { try Self.record(of: project, $0) }
    return (record.apnsKeys, record.vapid)
  }
}

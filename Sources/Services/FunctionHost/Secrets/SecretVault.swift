import BaseStatus
import Crypto
import Foundation
import Synchronization

/// A secret of a project, without its values.
package struct FunctionSecret: Sendable, Codable {
  /// One value that a secret had or has.
  package struct Version: Sendable, Codable {
    /// The number, from 1.
    package let number: Int
    /// Seconds since 1970.
    package let created: Double
    /// The sealed value; nil once it was destroyed.
    var sealed: String?

    /// True where the value is still there.
    package var isEnabled: Bool { sealed != nil }
  }

  /// The clients' notes on the secret.
  package var labels: [String: String] = [:]
  /// Seconds since 1970.
  package let created: Double
  /// The versions, the newest last.
  package var versions: [Version] = []

  init(created: Double) { self.created = created }

  private enum CodingKeys: CodingKey { case labels, created, versions }

  /// Reads a secret; a text alone is the sealed value of the first version.
  package init(from decoder: any Decoder) throws {
    if let sealed = try? decoder.singleValueContainer().decode(String.self) {
      created = 0
      versions = [Version(number: 1, created: 0, sealed: sealed)]
      return
    }
    let values = try decoder.container(keyedBy: CodingKeys.self)
    labels = try values.decode([String: String].self, forKey: .labels)
    created = try values.decode(Double.self, forKey: .created)
    versions = try values.decode([Version].self, forKey: .versions)
  }
}

/// The secrets of functions: sealed with AES-GCM in files of the data directory, by a key that has a file of its own.
///
/// A copy of the data without the key's file can't be read. A value is bound to its project, its secret's name and, from
/// the second version on, its number. Calls block for small files.
package final class SecretVault: Sendable {
  private let folder: String
  private let keyFile: String
  private let lock = Mutex(())
  private let now: @Sendable () -> Double
  private let published: @Sendable () throws -> Void

  /// The longest secret, as at Google.
  package static let longest = 65_536
  /// The most secrets of a project.
  package static let mostSecrets = 500
  /// The most values that a secret keeps; the oldest is destroyed where another comes.
  package static let mostValues = 10
  /// The name of the newest version.
  package static let latest = "latest"

  /// The secrets below a folder, under the key of a file that is made when it is needed.
  ///
  /// - Parameter published: Called after each change, before it counts as made.
  package init(
    folder: String,
    keyFile: String,
    published: @escaping @Sendable () throws -> Void = {},
    now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) {
    self.folder = folder
    self.keyFile = keyFile
    self.now = now
    self.published = published
  }

  /// The names of a project's secrets.
  package func names(of project: String) throws -> [String] {
    try lock.withLock { _ in try read(project).keys.sorted() }
  }

  /// A secret of a project; throws NOT_FOUND where there is none.
  package func secret(_ name: String, of project: String) throws -> FunctionSecret {
    try lock.withLock { _ in
      guard let secret = try read(project)[name] else { throw Self.absent(name, project) }
      return secret
    }
  }

  /// Makes a secret without a value; ALREADY_EXISTS where there is one of the name.
  package func create(_ name: String, labels: [String: String], of project: String) throws {
    try Self.check(name)
    try lock.withLock { _ in
      var secrets = try read(project)
      guard secrets[name] == nil else {
        throw ServiceError(.alreadyExists, "The secret \(name) already exists.")
      }
      var secret = FunctionSecret(created: now())
      secret.labels = labels
      secrets[name] = secret
      try write(secrets, project)
    }
  }

  /// Replaces the labels of a secret.
  package func label(_ name: String, _ labels: [String: String], of project: String) throws {
    try change(name, of: project) { $0.labels = labels }
  }

  /// Sets a secret, which is made where there is none; functions that name no version have the value from their next start.
  package func set(_ name: String, to value: String, of project: String) throws {
    try Self.check(name)
    try lock.withLock { _ in
      var secrets = try read(project)
      var secret = secrets[name] ?? FunctionSecret(created: now())
      try append(value, to: &secret, name, project)
      secrets[name] = secret
      try write(secrets, project)
    }
  }

  /// Adds a value to a secret that is there; returns the version's number.
  package func addVersion(_ value: String, to name: String, of project: String) throws -> Int {
    var number = 0
    try change(name, of: project) { secret in
      try append(value, to: &secret, name, project)
      number = secret.versions.last?.number ?? 0
    }
    return number
  }

  private func append(
    _ value: String,
    to secret: inout FunctionSecret,
    _ name: String,
    _ project: String
  ) throws {
    guard !value.isEmpty, value.utf8.count <= Self.longest, !value.utf8.contains(0) else {
      throw ServiceError.invalidArgument("A secret must have between 1 and \(Self.longest) bytes.")
    }
    let number = (secret.versions.last?.number ?? 0) + 1
    let box = try AES.GCM.seal(
      Data(value.utf8),
      using: key(making: true),
      authenticating: Self.identity(name, number, project)
    )
    secret.versions.append(
      .init(number: number, created: now(), sealed: box.combined?.base64EncodedString())
    )
    let kept = secret.versions.filter(\.isEnabled).suffix(Self.mostValues).map(\.number)
    for index in secret.versions.indices where !kept.contains(secret.versions[index].number) {
      secret.versions[index].sealed = nil
    }
    // Destroyed ones are kept for lists, the last hundred.
    secret.versions = Array(secret.versions.suffix(100))
  }

  /// Destroys the value of a version; throws NOT_FOUND where there is no such version.
  package func destroy(_ name: String, version: String, of project: String) throws {
    try change(name, of: project) { secret in
      let number = try Self.version(version, of: secret, name).number
      for index in secret.versions.indices where secret.versions[index].number == number {
        secret.versions[index].sealed = nil
      }
    }
  }

  /// Deletes a secret; throws NOT_FOUND where there is none.
  package func delete(_ name: String, of project: String) throws {
    try lock.withLock { _ in
      var secrets = try read(project)
      guard secrets.removeValue(forKey: name) != nil else { throw Self.absent(name, project) }
      try write(secrets, project)
    }
  }

  /// A version of a secret by its number or as `latest`; throws NOT_FOUND where there is none.
  package static func version(
    _ text: String,
    of secret: FunctionSecret,
    _ name: String
  ) throws(ServiceError) -> FunctionSecret.Version {
    let found =
      text == latest
      ? secret.versions.last : secret.versions.first { "\($0.number)" == text }
    guard let found else {
      throw ServiceError(.notFound, "The secret \(name) has no version \(text.prefix(20)).")
    }
    return found
  }

  /// The value of a secret; throws NOT_FOUND where there is none.
  package func value(
    _ name: String,
    version: String = SecretVault.latest,
    of project: String
  ) throws -> String {
    try lock.withLock { _ in
      guard let secret = try read(project)[name] else { throw Self.absent(name, project) }
      let version = try Self.version(version, of: secret, name)
      guard let data = version.sealed.flatMap({ Data(base64Encoded: $0) }) else {
        throw ServiceError(
          .failedPrecondition,
          "Version \(version.number) of the secret \(name) was destroyed. Set it again and deploy the functions that use it."
        )
      }
      do {
        let opened = try AES.GCM.open(
          AES.GCM.SealedBox(combined: data),
          using: key(making: false),
          authenticating: Self.identity(name, version.number, project)
        )
        return String(decoding: opened, as: UTF8.self)
      } catch is CryptoKitError {
        throw ServiceError(
          .failedPrecondition,
          "The secret \(name) was not encrypted with the key in \(keyFile). Set it again."
        )
      }
    }
  }

  private static func identity(_ name: String, _ number: Int, _ project: String) -> Data {
    Data((number == 1 ? "\(project)/\(name)" : "\(project)/\(name)/\(number)").utf8)
  }

  private static func check(_ name: String) throws(ServiceError) {
    guard EnvironmentFile.isName(name), !EnvironmentFile.isReserved(name) else {
      throw .invalidArgument(
        "\(name.prefix(80)) can't be the name of a secret. Use letters, digits and _, and no variable that the host sets."
      )
    }
  }

  private static func absent(_ name: String, _ project: String) -> ServiceError {
    ServiceError(
      .notFound,
      "There is no secret \(name). Set it: brasa functions secrets set \(name) --project \(project)"
    )
  }

  private func change(
    _ name: String,
    of project: String,
    _ change: (inout FunctionSecret) throws -> Void
  ) throws {
    try lock.withLock { _ in
      var secrets = try read(project)
      guard var secret = secrets[name] else { throw Self.absent(name, project) }
      try change(&secret)
      secrets[name] = secret
      try write(secrets, project)
    }
  }

  private func key(making: Bool) throws -> SymmetricKey {
    if let data = FileManager.default.contents(atPath: keyFile) {
      guard let bytes = Data(base64Encoded: data.filter { $0 > 32 }), bytes.count == 32 else {
        throw ServiceError(
          .failedPrecondition,
          "\(keyFile) contains no key. Restore the file from a backup: without it the secrets are lost."
        )
      }
      return SymmetricKey(data: bytes)
    }
    guard making else {
      throw ServiceError(
        .failedPrecondition,
        "The key of the secrets is missing: there is no \(keyFile). Restore the file, or set the secrets again."
      )
    }
    let key = SymmetricKey(size: .bits256)
    let text = key.withUnsafeBytes { Data($0).base64EncodedString() } + "\n"
    try SafeFile.write(Data(text.utf8), to: keyFile)
    return key
  }

  private func path(_ project: String) -> String { "\(folder)/\(project).json" }

  private func read(_ project: String) throws -> [String: FunctionSecret] {
    guard let data = FileManager.default.contents(atPath: path(project)) else { return [:] }
    return try JSONDecoder().decode([String: FunctionSecret].self, from: data)
  }

  private func write(_ secrets: [String: FunctionSecret], _ project: String) throws {
    guard secrets.count <= Self.mostSecrets else {
      throw ServiceError(
        .resourceExhausted,
        "A project can have at most \(Self.mostSecrets) secrets. Delete one first."
      )
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try SafeFile.write(try JSONEncoder().encode(secrets), to: path(project))
    try published()
  }
}

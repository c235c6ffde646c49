import BaseStatus
import Crypto
import Foundation
import Synchronization

/// The secrets of functions: sealed with AES-GCM in files of the data directory, by a key that has a file of its own.
///
/// Whoever copies the data without the key's file can't read them. Calls block for small files.
package final class SecretVault: Sendable {
  private let folder: String
  private let keyFile: String
  private let lock = Mutex(())

  /// The longest secret, as at Google.
  package static let longest = 65_536

  /// The secrets below a folder, under the key of a file that is made when it is needed.
  package init(folder: String, keyFile: String) {
    self.folder = folder
    self.keyFile = keyFile
  }

  /// The names of a project's secrets.
  package func names(of project: String) throws -> [String] {
    try lock.withLock { _ in try read(project).keys.sorted() }
  }

  /// Sets a secret.
  package func set(_ name: String, to value: String, of project: String) throws {
    guard EnvironmentFile.isName(name), !EnvironmentFile.isReserved(name) else {
      throw ServiceError.invalidArgument(
        "\(name.prefix(80)) can't be a secret's name: use letters, digits and _, and none of the host's own variables."
      )
    }
    guard !value.isEmpty, value.utf8.count <= Self.longest, !value.utf8.contains(0) else {
      throw ServiceError.invalidArgument("A secret has between 1 and \(Self.longest) bytes.")
    }
    try lock.withLock { _ in
      var sealed = try read(project)
      let box = try AES.GCM.seal(
        Data(value.utf8),
        using: key(making: true),
        authenticating: Data("\(project)/\(name)".utf8)
      )
      sealed[name] = box.combined?.base64EncodedString()
      try write(sealed, project)
    }
  }

  /// Deletes a secret; throws NOT_FOUND where there is none.
  package func delete(_ name: String, of project: String) throws {
    try lock.withLock { _ in
      var sealed = try read(project)
      guard sealed.removeValue(forKey: name) != nil else { throw Self.absent(name, project) }
      try write(sealed, project)
    }
  }

  /// The value of a secret; throws NOT_FOUND where there is none.
  package func value(_ name: String, of project: String) throws -> String {
    try lock.withLock { _ in
      guard let text = try read(project)[name], let data = Data(base64Encoded: text) else {
        throw Self.absent(name, project)
      }
      do {
        let opened = try AES.GCM.open(
          AES.GCM.SealedBox(combined: data),
          using: key(making: false),
          authenticating: Data("\(project)/\(name)".utf8)
        )
        return String(decoding: opened, as: UTF8.self)
      } catch is CryptoKitError {
        throw ServiceError(
          .failedPrecondition,
          "The secret \(name) was sealed with another key than that of \(keyFile). Set it again."
        )
      }
    }
  }

  private static func absent(_ name: String, _ project: String) -> ServiceError {
    ServiceError(
      .notFound,
      "There is no secret \(name). Set it: brasa functions secrets set \(name) --project \(project)"
    )
  }

  private func key(making: Bool) throws -> SymmetricKey {
    if let data = FileManager.default.contents(atPath: keyFile) {
      guard let bytes = Data(base64Encoded: data.filter { $0 > 32 }), bytes.count == 32 else {
        throw ServiceError(
          .failedPrecondition,
          "\(keyFile) holds no key. Put the file of the backup there; without it the secrets are lost."
        )
      }
      return SymmetricKey(data: bytes)
    }
    guard making else {
      throw ServiceError(
        .failedPrecondition,
        "The key of the secrets is missing: there is no \(keyFile). Put it back, or set the secrets again."
      )
    }
    let key = SymmetricKey(size: .bits256)
    let text = key.withUnsafeBytes { Data($0).base64EncodedString() } + "\n"
    try SafeFile.write(Data(text.utf8), to: keyFile)
    return key
  }

  private func path(_ project: String) -> String { "\(folder)/\(project).json" }

  private func read(_ project: String) throws -> [String: String] {
    guard let data = FileManager.default.contents(atPath: path(project)) else { return [:] }
    return try JSONDecoder().decode([String: String].self, from: data)
  }

  private func write(_ sealed: [String: String], _ project: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try SafeFile.write(try JSONEncoder().encode(sealed), to: path(project))
  }
}

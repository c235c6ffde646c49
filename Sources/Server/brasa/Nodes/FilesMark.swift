import BaseText
import Foundation
import KeyValueStore

// The key of the mark in the store: 0xC0, the first byte of `KeyOwner.nodes`, then 0x03. Its value: the mark as UTF-8.

/// The mark of the place that has the bytes of a store's larger files, so that no node without them
/// becomes primary except on demand.
///
/// A directory has 32 hexadecimal digits in its file `mark`, made by the first primary; machines
/// that share the directory share the file. A server of S3 has its address, bucket and prefix. The
/// store keeps the mark of the last primary.
struct FilesMark: Sendable {
  private let engine: any KeyValueEngine
  /// Nil where the bytes are on a server of S3.
  private let path: String?
  private let remote: String
  /// True if no node needs the files.
  private let isOptional: Bool

  private static let key = [KeyOwner.nodes.firstBytes.lowerBound, 0x03]

  /// The mark of a data directory, or of the server that has the bytes instead.
  ///
  /// - Parameter isOptional: True if this node may become the primary with its files as they are.
  init(
    engine: any KeyValueEngine,
    directory: String,
    settings: FileSettings,
    isOptional: Bool = false
  ) {
    self.engine = engine
    self.isOptional = isOptional
    path = settings.s3 == nil ? directory + "/files/mark" : nil
    remote = settings.s3.map { "s3 \($0.endpoint) \($0.bucket)/\($0.prefix)" } ?? ""
  }

  /// Returns true if this node has the files that the last primary had, or needs none; a store that
  /// had none has no others.
  ///
  /// Blocks.
  func isCurrent() throws -> Bool {
    guard !isOptional else { return true }
    guard let kept = try engine.read({ try $0.get(Self.key) }) else { return true }
    return try own() == String(decoding: kept, as: UTF8.self)
  }

  /// Has the store keep this node's mark, which gets one where it has none; blocks.
  func keep() throws {
    let mark = try own() ?? make()
    try engine.write { try $0.put(Self.key, Array(mark.utf8)) }
  }

  private func own() throws -> String? {
    guard let path else { return remote }
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try String(contentsOfFile: path, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func make() throws -> String {
    guard let path else { return remote }
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let mark = Hexadecimal.text(bytes)
    try Data((mark + "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    return mark
  }
}

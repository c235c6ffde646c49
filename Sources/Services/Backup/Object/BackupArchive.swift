import BaseText
import Crypto
import Foundation

/// Reads a target: its bases, and the chain of segments that follow one.
package struct BackupArchive: Sendable {
  /// The target that holds the objects.
  package let target: any BackupTarget
  /// Reads the objects, with the key of the operator.
  package let codec: ObjectCodec

  /// The archive of a target; the codec has its server's id and the key.
  package init(_ target: any BackupTarget, _ codec: ObjectCodec) {
    self.target = target
    self.codec = codec
  }

  /// Opens the backup at a target with the operator's key.
  package static func open(
    _ target: any BackupTarget,
    key: BackupKey?
  ) async throws -> BackupArchive {
    guard let identity = try await BackupIdentity.read(target) else {
      throw BackupError(.notFound, "There is no backup at \(target.address).")
    }
    try identity.check(key)
    return BackupArchive(target, ObjectCodec(server: identity.server, key: key))
  }

  /// The numbers of the complete bases, ascending.
  package func baseNumbers() async throws -> [Int] {
    try await target.list("bases/").compactMap { entry in
      let parts = entry.name.split(separator: "/")
      return parts.count == 3 && parts[2] == "manifest" ? Int(parts[1]) : nil
    }.sorted()
  }

  /// A base's manifest.
  package func base(_ number: Int) async throws -> BaseManifest {
    let content = try await content(BaseManifest.name(number))
    guard let manifest = try? JSONDecoder().decode(BaseManifest.self, from: Data(content)),
      manifest.number == number
    else { throw ObjectCodec.damage(BaseManifest.name(number)) }
    return manifest
  }

  /// The content of an object that must be there.
  package func content(_ name: String) async throws -> [UInt8] {
    guard let bytes = try await target.get(name) else {
      throw BackupError(.damaged, "\(name) of the backup is missing.")
    }
    return try codec.decode(name, bytes).content
  }

  /// A segment with its content and digest.
  package typealias Segment = (head: SegmentHead, content: [UInt8], digest: String)

  /// A segment with its content and digest; nil where there is none of that number.
  package func segment(_ number: Int) async throws -> Segment? {
    let name = SegmentHead.name(number)
    guard let bytes = try await target.get(name) else { return nil }
    do {
      let (content, head) = try codec.decode(name, bytes)
      guard let head, head.number == number else { throw ObjectCodec.damage(name) }
      return (head, content, Self.digest(bytes))
    } catch let error as BackupError where error.code == .damaged {
      throw BackupError(.damaged, "Segment \(number) is damaged.", segment: number)
    }
  }

  /// The greatest number of a segment from a number on; nil where there is none.
  package func lastSegment(from first: Int) async throws -> Int? {
    var last: Int?
    var folder = first / SegmentHead.perFolder
    while true {
      let number = folder * SegmentHead.perFolder
      let numbers = try await target.list(SegmentHead.folder(number)).compactMap { entry in
        entry.name.split(separator: "/").last.flatMap { Int($0) }
      }
      guard let greatest = numbers.max() else { break }
      if greatest >= first { last = greatest }
      folder += 1
    }
    return last
  }

  static func digest(_ bytes: [UInt8]) -> String { Hexadecimal.text(SHA256.hash(data: bytes)) }
}

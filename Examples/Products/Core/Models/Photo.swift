import Foundation

/// A picture that a person chose: bytes that begin as a picture does, and not too many.
package struct Photo: Equatable, Sendable {
  /// The most bytes that the rules of Storage take.
  package static let largest = 5 * 1024 * 1024

  package let data: Data
  package let contentType: String

  /// The picture; nil where the bytes are none.
  package init?(_ data: Data) {
    guard data.count <= Self.largest, let type = Self.contentType(of: data) else { return nil }
    self.data = data
    contentType = type
  }

  /// The type of a picture by its first bytes; nil of everything else.
  package static func contentType(of data: Data) -> String? {
    let head = Array(data.prefix(12))
    if head.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
    if head.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return "image/png" }
    if head.starts(with: Array("GIF8".utf8)) { return "image/gif" }
    guard head.count == 12 else { return nil }
    if head.starts(with: Array("RIFF".utf8)), head[8...].elementsEqual("WEBP".utf8) {
      return "image/webp"
    }
    return head[4..<8].elementsEqual("ftyp".utf8) ? "image/heic" : nil
  }
}

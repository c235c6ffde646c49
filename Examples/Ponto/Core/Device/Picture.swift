import Foundation

/// A photo as the app keeps it: a JPEG or PNG file of at most two megabytes.
package struct Picture: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case jpeg = "image/jpeg"
    case png = "image/png"
  }

  package static let largest = 2 * 1024 * 1024
  package let bytes: Data
  package let kind: Kind

  /// nil when the bytes are too many or no such file.
  package init?(_ bytes: Data) {
    guard bytes.count <= Self.largest else { return nil }
    if bytes.starts(with: [0xff, 0xd8, 0xff]) {
      kind = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      kind = .png
    } else {
      return nil
    }
    self.bytes = bytes
  }
}

/// The person's photo: one file, replaced as a whole.
package struct ProfilePhoto: Sendable {
  private let file: URL

  /// - Parameter folder: The app's documents.
  package init(folder: URL) {
    file = folder.appending(path: "perfil.png")
  }

  package func load() -> Picture? {
    (try? Data(contentsOf: file)).flatMap(Picture.init)
  }

  package func save(_ picture: Picture) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try picture.bytes.write(to: file, options: .atomic)
  }
}

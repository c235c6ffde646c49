import Foundation

/// A file that only its owner may read (mode 0600), replaced in one step.
package struct ProtectedFile: CredentialStore {
  private let file: URL

  package init(_ file: URL) {
    self.file = file
  }

  package func load() throws -> Data? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try Data(contentsOf: file)
  }

  package func save(_ secret: Data?) throws {
    let files = FileManager.default
    guard let secret else {
      if files.fileExists(atPath: file.path) { try files.removeItem(at: file) }
      return
    }
    try files.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let draft = file.appendingPathExtension("new")
    guard
      files.createFile(
        atPath: draft.path,
        contents: secret,
        attributes: [.posixPermissions: 0o600]
      )
    else { throw CocoaError(.fileWriteUnknown) }
    guard rename(draft.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}

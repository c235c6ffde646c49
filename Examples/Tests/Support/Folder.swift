import Foundation

/// A new folder for one test.
package struct Folder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "examples-\(UUID().uuidString.lowercased())"
    )
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  package func file(_ name: String) -> URL { url.appending(path: name) }

  package func remove() {
    try? FileManager.default.removeItem(at: url)
  }
}

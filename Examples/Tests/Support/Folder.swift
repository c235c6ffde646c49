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

  /// Writes rules that let nobody do anything, and so end every listener once they are deployed.
  package func closedRules() throws -> URL {
    let closed = file("closed.rules")
    try Data(
      """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} { allow read, write: if false; }
        }
      }
      """.utf8
    ).write(to: closed)
    return closed
  }

  package func remove() {
    try? FileManager.default.removeItem(at: url)
  }
}

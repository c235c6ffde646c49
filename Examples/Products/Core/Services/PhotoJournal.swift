import Foundation

/// The photos of which it is not certain whether a document names them.
///
/// A photo is noted here before anything is done to it: before it is uploaded, and before the document that names it
/// changes or goes. It is forgotten once the server's documents have been asked. So an app that is killed at any
/// moment finds here, at its next start, what may be in Storage for nothing. The file is replaced as a whole.
package actor PhotoJournal {
  /// A photo in question.
  ///
  /// Noted again, the same photo is another question, so that the answer to the first, which may be older than the
  /// change, does not count for it.
  package struct Question: Codable, Equatable, Sendable {
    let id: UUID
    let person: String
    package let imageId: String
  }

  private let file: URL

  /// A journal in an app's folder.
  package init(folder: URL) {
    file = folder.appending(path: "photos-in-question.json")
  }

  /// Notes photos; when it returns, the end of the process does not lose them.
  package func note(_ imageIds: [String], of person: String) throws {
    guard !imageIds.isEmpty else { return }
    let others = try read().filter { $0.person != person || !imageIds.contains($0.imageId) }
    try write(others + imageIds.map { Question(id: UUID(), person: person, imageId: $0) })
  }

  /// The photos of a person that are in question.
  package func questions(of person: String) throws -> [Question] {
    try read().filter { $0.person == person }
  }

  /// Takes out a question that has its answer; the photo stays in question where it was noted again meanwhile.
  package func forget(_ question: Question) throws {
    try write(try read().filter { $0 != question })
  }

  private func read() throws -> [Question] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    return try JSONDecoder().decode([Question].self, from: Data(contentsOf: file))
  }

  private func write(_ entries: [Question]) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try JSONEncoder().encode(entries).write(to: file, options: .atomic)
  }
}

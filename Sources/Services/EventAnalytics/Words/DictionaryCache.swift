import Synchronization

/// The numbers of recently used words of all projects.
final class DictionaryCache: Sendable {
  struct Name: Hashable, Sendable {
    let project: UInt32
    let scope: WordScope
    let text: [UInt8]
  }

  private static let limit = 200_000
  private let numbers = Mutex<[Name: UInt32]>([:])

  subscript(name: Name) -> UInt32? { numbers.withLock { $0[name] } }

  func keep(_ words: [Name: UInt32]) {
    numbers.withLock { known in
      if known.count + words.count > Self.limit { known.removeAll() }
      known.merge(words) { $1 }
    }
  }
}

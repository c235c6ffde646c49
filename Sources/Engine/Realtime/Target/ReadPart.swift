/// A part of what a target begins with.
struct ReadPart: Sendable {
  /// A document to tell of, and whether it is one of the target's.
  struct Item: Sendable {
    let document: SharedDocument
    let isResult: Bool
  }

  /// True if the client's documents are of no use: it must forget them first.
  var resets = false
  /// True if the parts are the difference from the documents that the client holds, not everything.
  var isDifference = false
  var items: [Item] = []
  /// The number of documents that the target has at the version that was read; nil if it was not
  /// asked for.
  var count: Int?
  /// The names of these documents, where the client holds more than there were.
  var names: BloomFilter?
  var isDone = false
  /// About how much memory the reader keeps until the next part.
  var heldBytes = 0
}

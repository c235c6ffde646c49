import BaseRuntime

/// A target that reads what it begins with, while changes since then wait.
final class Opening {
  /// The progress of the reading.
  enum Stage {
    /// In the queue for a reader, or for its view's window.
    case waiting
    /// An engine thread reads the next part.
    case reading
    /// A part is here, but must not be sent yet.
    case held(ReadPart)
  }

  let id: OpeningID
  let resumption: TargetRequest.Resumption?
  /// The number of documents that the client says it holds.
  let expectedCount: Int?
  /// True if the client has received the response to its request.
  var isAnnounced: Bool
  /// True if a part has come.
  var hasBegun = false
  var stage = Stage.waiting
  /// Nil until reading has begun.
  var reader: TargetReader?
  /// The changes since the version that is read.
  var changes = ChangeBuffer()
  /// About how much memory the reader keeps.
  var readerBytes = 0
  /// The account that all of these, and a part that is held, count against.
  var lease: ByteLease?
  /// The change that those changes made to the number of results.
  var countDelta = 0
  /// The number of results at the version that is read, where the client resumes.
  var count: Int?
  /// The names of all results, if the client holds more than it can.
  ///
  /// They also include all documents that it is asked to drop, because clients count as dropped
  /// twice the ones that the filter leaves out as well.
  var names: BloomFilter?

  init(
    id: OpeningID,
    resumption: TargetRequest.Resumption? = nil,
    expectedCount: Int? = nil,
    isAnnounced: Bool = false
  ) {
    self.id = id
    self.resumption = resumption
    self.expectedCount = expectedCount
    self.isAnnounced = isAnnounced
  }

  /// About how much memory takes what waits here.
  var waitingBytes: Int {
    guard case .held(let part) = stage else { return changes.size + readerBytes }
    return part.items.reduce(changes.size + readerBytes) { $0 + $1.document.size }
  }

  /// The same from the beginning.
  func again(id: OpeningID) -> Opening {
    Opening(
      id: id,
      resumption: resumption,
      expectedCount: expectedCount,
      isAnnounced: isAnnounced
    )
  }

  /// Keeps a change for the end of the reading.
  func note(_ change: DocumentChange) {
    countDelta += (change.is ? 1 : 0) - (change.was ? 1 : 0)
    changes.add(change)
  }

  /// The items of a part that have not changed since they were read; the changes of the others are
  /// current now.
  func unchanged(_ part: ReadPart, tellsMissing: Bool) -> [ReadPart.Item] {
    guard !changes.isEmpty else { return part.items }
    return part.items.filter { item in
      guard changes.contains(item.document.name.path) else { return true }
      changes.setWas(part.isDifference || tellsMissing, at: item.document.name.path)
      return false
    }
  }
}

/// Candidates of a query in the order of their positions.
///
/// A *position* is what follows an index's equality prefix in its keys: the encoded values of the
/// order fields, then the document's name. Streams that run backwards give positions in descending
/// byte order. Streams live inside one engine view and belong to one thread.
package protocol PositionStream: AnyObject {
  /// Moves to the next candidate; false at the end.
  func next() throws -> Bool

  /// Moves to the first candidate at or beyond `target` in the stream's direction; never backwards.
  func seek(_ target: UnsafeRawBufferPointer) throws -> Bool

  /// The candidate's position; lent until the next move, valid after a move that answered true.
  var position: UnsafeRawBufferPointer { get }

  /// The bytes stored beside the position: an entry's type tags or a document's record.
  var payload: UnsafeRawBufferPointer { get }

  /// True if the current position is no candidate and only marks how far the stream has come, so
  /// that a reader can pause there.
  var isMilestone: Bool { get }
}

extension PositionStream {
  /// False: most streams deliver candidates alone.
  package var isMilestone: Bool { false }
}

/// Thrown by a stream that has used up its view's slice before its next candidate: its work is
/// kept, and continues with the next slice.
struct SliceUsedUp: Error {}

/// A stream without candidates.
package final class EmptyStream: PositionStream {
  /// False at once.
  package func next() -> Bool { false }
  /// False for every target.
  package func seek(_ target: UnsafeRawBufferPointer) -> Bool { false }
  /// Empty; no move ever makes it valid.
  package var position: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
  /// Empty; no move ever makes it valid.
  package var payload: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}

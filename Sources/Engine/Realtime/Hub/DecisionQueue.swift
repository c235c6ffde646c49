/// Streams whose decisions are to be made again, by turns.
struct DecisionQueue {
  private var hurried = Queue<StreamState>()
  private var others = Queue<StreamState>()

  /// Puts a stream with doubted targets behind the others.
  mutating func add(_ stream: StreamState) { others.append(stream) }

  /// Gives a stream its turn before those that have nothing to tell.
  mutating func hurry(_ stream: StreamState) {
    guard !stream.isHurried else { return }
    stream.isHurried = true
    hurried.append(stream)
  }

  /// The stream whose turn it is: the same one until none of its targets is doubted.
  mutating func next() -> StreamState? { Self.next(in: &hurried) ?? Self.next(in: &others) }

  private static func next(in queue: inout Queue<StreamState>) -> StreamState? {
    while let stream = queue.first {
      if !stream.doubted.isEmpty { return stream }
      _ = queue.popFirst()
    }
    return nil
  }
}

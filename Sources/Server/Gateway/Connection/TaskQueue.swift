/// Work that event loops start and the gateway's `run()` owns.
///
/// Unbounded by itself: an item is a connection or a stream, and both are capped.
struct TaskQueue: Sendable {
  private let items: AsyncStream<@Sendable () async -> Void>
  private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

  init() {
    (items, continuation) = AsyncStream.makeStream()
  }

  /// Has the work run; after `finish` it is dropped.
  func submit(_ work: @escaping @Sendable () async -> Void) {
    continuation.yield(work)
  }

  /// Takes no more work.
  func finish() {
    continuation.finish()
  }

  /// Runs submitted work until `finish`, then waits for the work that still runs.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await item in items { group.addTask { await item() } }
    }
  }
}

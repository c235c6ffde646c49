import Synchronization

/// Counts who uses the folders of sources and packages, so that none is removed under a deployment or an instance.
///
/// Any thread may call; nothing blocks.
final class FolderUses: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// True while a folder of that name is in use.
  func contains(_ name: String) -> Bool { counts.withLock { $0[name] != nil } }

  /// Begins a use of some folders.
  func begin(_ names: String...) -> Use {
    let use = Use(self)
    for name in names { use.add(name) }
    return use
  }

  fileprivate func count(_ name: String) {
    counts.withLock { $0[name, default: 0] += 1 }
  }

  fileprivate func uncount(_ names: [String]) {
    counts.withLock { counts in
      for name in names {
        let left = counts[name, default: 0] - 1
        counts[name] = left > 0 ? left : nil
      }
    }
  }

  /// A use of some folders, which ends when it is told to or with its last reference.
  final class Use: Sendable {
    private let uses: FolderUses
    private let names = Mutex<[String]>([])

    fileprivate init(_ uses: FolderUses) { self.uses = uses }

    deinit { end() }

    /// Uses one folder more.
    func add(_ name: String) {
      names.withLock { $0.append(name) }
      uses.count(name)
    }

    /// Ends the use of all folders.
    func end() {
      let ended = names.withLock { names in
        defer { names = [] }
        return names
      }
      uses.uncount(ended)
    }
  }
}

/// Locks by name that tasks wait for in turn; so many of them have a name at one time.
final class NameLocks: Sendable {
  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    /// The number of tasks that have each name.
    var held: [String: Int] = [:]
    var waiting: [String: [Waiter]] = [:]
    var last = 0
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int = 1) { self.capacity = capacity }

  /// Runs work while it has the name; throws CancellationError where the task is cancelled while it waits.
  func withLock<R>(
    _ name: String,
    isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> R
  ) async throws -> R {
    try await acquire(name)
    defer { release(name) }
    return try await work()
  }

  private func acquire(_ name: String) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state -> Result<Void, any Error>? in
          // The handler may have run before there was a waiter.
          if Task.isCancelled { return .failure(CancellationError()) }
          guard state.held[name, default: 0] >= capacity else {
            state.held[name, default: 0] += 1
            return .success(())
          }
          state.waiting[name, default: []].append(
            Waiter(number: number, continuation: continuation)
          )
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let index = state.waiting[name]?.firstIndex(where: { $0.number == number }) else {
          return nil
        }
        return state.waiting[name]?.remove(at: index)
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func release(_ name: String) {
    let next = state.withLock { state -> Waiter? in
      if var waiters = state.waiting[name], !waiters.isEmpty {
        let next = waiters.removeFirst()
        state.waiting[name] = waiters.isEmpty ? nil : waiters
        return next
      }
      let left = state.held[name, default: 0] - 1
      state.held[name] = left > 0 ? left : nil
      return nil
    }
    next?.continuation.resume()
  }
}

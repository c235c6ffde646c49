/// Runs a test that needs the process's default Firebase app while no other one has it.
///
/// A process has one, and the tests of all examples are one process. The body deletes the app that it made.
public func withDefaultApp(_ body: @Sendable () async throws -> Void) async throws {
  await DefaultAppTurn.shared.take()
  do {
    try await body()
  } catch {
    await DefaultAppTurn.shared.give()
    throw error
  }
  await DefaultAppTurn.shared.give()
}

/// The turn to use the default app, and the tests that wait for it.
private actor DefaultAppTurn {
  static let shared = DefaultAppTurn()
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func give() {
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    waiting.removeFirst().resume()
  }
}

import Synchronization

/// Wakes the tasks that work on queues.
final class WorkSignals: Sendable {
  let fanOuts = Signal()
  private let lanes = PushChannel.allCases.map { _ in Signal() }

  /// Wakes the workers on the lanes of a transport.
  func lanes(_ channel: PushChannel) -> Signal { lanes[Int(channel.rawValue)] }
}

/// Wakes one waiting task; a signal without one is kept.
final class Signal: Sendable {
  private struct State {
    var isSet = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func signal() {
    let waiter = state.withLock { state in
      state.isSet = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits for a signal, or for a time to pass; also returns when the task is cancelled.
  func wait(atMost duration: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait() }
      group.addTask {
        do { try await Task.sleep(for: duration) } catch {}
      }
      await group.next()
      group.cancelAll()
    }
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayGo = state.withLock { state in
          guard !state.isSet, !Task.isCancelled else {
            state.isSet = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if mayGo { continuation.resume() }
      }
    } onCancel: {
      state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }?.resume()
    }
  }
}

import Foundation
import Observation

/// One browser's app: its view models, and the actions that wait to be carried out.
///
/// `run` must be called once, by the host; until it ends the app lives.
@MainActor
final class LiveSession {
  private let app: any LiveApp
  private let draw: @MainActor (LiveView) -> String
  private let actions: AsyncStream<Pending>
  private let queue: AsyncStream<Pending>.Continuation
  var lastUse = ContinuousClock.now
  var viewers = 0

  private struct Pending {
    let action: LiveAction
    let done: AsyncStream<Never>.Continuation
  }

  init(app: any LiveApp, draw: @escaping @MainActor (LiveView) -> String) {
    self.app = app
    self.draw = draw
    (actions, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
  }

  var content: String { draw(app.view) }

  func file(_ name: String) async -> LiveFile? { await app.file(name) }

  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.app.run() }
      for await pending in actions {
        group.addTask { await self.carryOut(pending) }
      }
      group.cancelAll()
    }
  }

  func end() {
    queue.finish()
  }

  /// Queues an action.
  ///
  /// The result ends when it has been carried out; nil when too many wait.
  func submit(_ action: LiveAction) -> AsyncStream<Never>? {
    lastUse = .now
    let (completion, done) = AsyncStream<Never>.makeStream()
    guard case .enqueued = queue.yield(Pending(action: action, done: done)) else { return nil }
    return completion
  }

  private func carryOut(_ pending: Pending) async {
    await app.perform(pending.action)
    pending.done.finish()
  }
}

/// The content of a session's page, first as it is and then after every change; changes that come
/// faster than they are read are left out, the last one never.
///
/// This is what `Observations` does; that type's isolated closures crash the 6.3 compiler on
/// Linux, so the sequence is built on `withObservationTracking` instead.
struct LiveFrames: AsyncSequence {
  let session: LiveSession

  struct Iterator: AsyncIteratorProtocol {
    let session: LiveSession
    private var change: AsyncStream<Void>?
    private var last: String?

    init(session: LiveSession) {
      self.session = session
    }

    mutating func next() async -> String? {
      while !Task.isCancelled {
        if let change {
          for await _ in change { break }
          if Task.isCancelled { return nil }
        }
        let frame = await draw()
        if frame != last {
          last = frame
          return frame
        }
      }
      return nil
    }

    private mutating func draw() async -> String {
      let (change, mark) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      self.change = change
      let session = session
      return await MainActor.run {
        withObservationTracking {
          session.content
        } onChange: {
          mark.yield()
          mark.finish()
        }
      }
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(session: session) }
}

import Synchronization

/// The table of the server's problems, by part: all engines and services report here.
///
/// A problem keeps the server from doing its work: `/healthz` is 503 and gRPC's health service NOT_SERVING. A
/// warning takes nothing from clients: `/healthz` has a line more.
///
/// Any thread may report. A part that was never reported on is well.
package final class ServerHealth: Sendable {
  private struct State {
    var problems: [String: String] = [:]
    var warnings: [String: String] = [:]
    var observer: (@Sendable (Bool) -> Void)?
  }

  private let state = Mutex(State())

  /// A server without problems.
  package init() {}

  /// Says how a part is: nil is well; a text says what it cannot do, for strangers to read.
  package func report(_ part: String, _ problem: String?) {
    let told = state.withLock { state -> (observer: @Sendable (Bool) -> Void, isWell: Bool)? in
      let wasWell = state.problems.isEmpty
      state.problems[part] = problem
      guard wasWell != state.problems.isEmpty else { return nil }
      return state.observer.map { ($0, state.problems.isEmpty) }
    }
    if let told { told.observer(told.isWell) }
  }

  /// Reports a decision that an operator must make about a working part; nil is nothing.
  ///
  /// The text is for strangers to read.
  package func warn(_ part: String, _ warning: String?) {
    state.withLock { $0.warnings[part] = warning }
  }

  /// A line a warning, in the order of the parts.
  package var warnings: [String] {
    state.withLock { $0.warnings.sorted { $0.key < $1.key } }.map { "\($0.key): \($0.value)" }
  }

  /// A line a problem, in the order of the parts; empty when all is well.
  package var problems: [String] {
    state.withLock { $0.problems.sorted { $0.key < $1.key } }.map { "\($0.key): \($0.value)" }
  }

  /// Reports the status to `observer`, now and after each change.
  func observe(_ observer: @escaping @Sendable (_ isWell: Bool) -> Void) {
    let isWell = state.withLock { state in
      state.observer = observer
      return state.problems.isEmpty
    }
    observer(isWell)
  }
}

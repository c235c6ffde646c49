import BaseRuntime
import BaseText
import Synchronization

/// The facts that a transport knows of a call beside its message.
package struct CallContext: Sendable {
  /// Names the call in logs; also sent back as `x-request-id`.
  package let requestID: String
  /// The `authorization` header as it came, for gRPC and HTTP alike.
  package let authorization: String?
  /// True if the connection is encrypted.
  package let isSecure: Bool
  /// True if the peer is this machine (loopback or the control socket).
  package let isLocal: Bool
  /// Names the network that the peer is in, by which shares are counted.
  package let network: String
  /// When the caller stops waiting; nil is never.
  package var deadline: ContinuousClock.Instant?
  /// Raised when the caller went away or the deadline passed; work in progress looks at it.
  package let cancellation: Cancellation
  /// True if the call comes from a web page that the operator did not name: the emulator's
  /// credentials do not count.
  package let isForeignPage: Bool
  /// The connection's memory of its callers; nil remembers nothing.
  package let memory: CallerMemory?
  /// The connection's or session's account of the process's memory; nil where no client made the
  /// call.
  package let account: LedgerAccount?
  /// The least role of a signed-in administrator that the call takes: a viewer's only where its route is known to
  /// change nothing.
  package var demand: AdministratorRole
  /// True if a signed-in administrator must have signed in within the last minutes.
  package var takesRecentSignIn = false
  /// True if another node forwarded the call, so that this one has to make it.
  package var isForwarded: Bool
  /// The record of the administrator who holds these credentials; nil for calls that leave no
  /// trace.
  package var actor: CallActor?

  /// The number of events that led to the call, one causing the next: 0 for calls that no function makes.
  package var eventDepth: Int { memory?.function?.depth() ?? 0 }

  /// The project whose function makes the call; nil for everybody else.
  package var functionProject: Text? { memory?.function?.project }

  /// The circumstances of one call.
  package init(
    requestID: String,
    authorization: String?,
    isSecure: Bool,
    isLocal: Bool = false,
    isForeignPage: Bool = false,
    network: String = "",
    deadline: ContinuousClock.Instant? = nil,
    cancellation: Cancellation = Cancellation(),
    memory: CallerMemory? = nil,
    account: LedgerAccount? = nil,
    demand: AdministratorRole = .editor,
    isForwarded: Bool = false,
    actor: CallActor? = nil
  ) {
    self.requestID = requestID
    self.authorization = authorization
    self.isSecure = isSecure
    self.isLocal = isLocal
    self.isForeignPage = isForeignPage
    self.network = network
    self.deadline = deadline
    self.cancellation = cancellation
    self.memory = memory
    self.account = account
    self.demand = demand
    self.isForwarded = isForwarded
    self.actor = actor
  }
}

/// A flag that goes up once: the caller no longer wants the response.
///
/// A write that has begun is finished all the same: only long responses look at the flag.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  private let handlers = Mutex<[@Sendable () -> Void]>([])

  /// A flag that is down.
  package init() {}

  /// True if the flag is up.
  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Raises the flag.
  package func cancel() {
    let waiting = handlers.withLock { handlers in
      flag.store(true, ordering: .relaxed)
      defer { handlers = [] }
      return handlers
    }
    for handler in waiting { handler() }
  }

  /// Has `handler` called once the flag is up: by the one who raises it, or at once.
  package func whenCancelled(_ handler: @escaping @Sendable () -> Void) {
    let isLate = handlers.withLock { handlers in
      if isCancelled { return true }
      handlers.append(handler)
      return false
    }
    if isLate { handler() }
  }
}

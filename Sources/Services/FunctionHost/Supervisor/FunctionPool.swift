import BaseStatus
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The instances of one function: one process each, started when calls need them.
///
/// A call has a lease of an instance until its response is whole. Calls beyond what all instances take wait in their order.
/// An instance that ends takes its leases along; functions that keep failing at start are tried again after growing pauses.
actor FunctionPool {
  /// A call's share of an instance.
  struct Lease: Sendable, Hashable {
    let instance: Int
    let call: Int
    let port: Int
    let callKey: String?
  }

  /// The functions by which the pool makes an instance.
  struct Maker: Sendable {
    let start:
      @Sendable (
        _ ended: @escaping @Sendable (ProgramEnd) -> Void
      ) async throws -> RunningInstance
    /// Takes one of the server's instances; false where all are taken.
    let takeRoom: @Sendable () -> Bool
    let giveRoom: @Sendable () -> Void
    let log: @Sendable (_ severity: String, _ message: String) -> Void
  }

  /// Figures for lists.
  struct Figures: Sendable {
    var instances = 0
    var calls = 0
    var waiting = 0
  }

  private enum Phase { case starting, ready, ending }

  private struct Instance {
    var phase = Phase.starting
    var running: RunningInstance?
    var calls: Set<Int> = []
    var hasServed = false
    var idleSince = ContinuousClock.now
  }

  private struct Waiter {
    let call: Int
    let depth: Int
    let continuation: CheckedContinuation<Lease, any Error>
  }

  nonisolated let endpoint: FunctionEndpoint
  private let configuration: FunctionHostConfiguration
  private let maker: Maker
  private var instances: [Int: Instance] = [:]
  private var waiters: [Waiter] = []
  private var expired: Set<Int> = []
  private var lastNumber = 0
  private var failures = 0
  /// The reason of the last failure, as callers read it.
  private var lastReason = ""
  private var retryTime: ContinuousClock.Instant?
  private var isRetired = false
  private var emptied: [CheckedContinuation<Void, Never>] = []

  init(_ endpoint: FunctionEndpoint, _ configuration: FunctionHostConfiguration, maker: Maker) {
    self.endpoint = endpoint
    self.configuration = configuration
    self.maker = maker
  }

  var figures: Figures {
    Figures(
      instances: instances.count,
      calls: instances.values.reduce(0) { $0 + $1.calls.count },
      waiting: waiters.count
    )
  }

  // MARK: Leases

  /// Returns an instance's lease; throws where there is none in that time, or starting one failed.
  ///
  /// - Parameter depth: The number of events that led to the call.
  func acquire(within time: Duration, depth: Int = 0) async throws -> Lease {
    guard !isRetired else {
      throw ServiceError(.unavailable, "The function was replaced. Try again.")
    }
    lastNumber += 1
    let call = lastNumber
    // No call passes one that waits for an idle instance, or it would wait for ever.
    if waiters.isEmpty, let lease = lease(for: call, depth: depth) { return lease }
    try checkBackoff()
    guard waiters.count < configuration.mostWaiting else {
      throw ServiceError(
        .resourceExhausted,
        "Too many calls are waiting for \(endpoint.name). Try again later."
      )
    }
    let limit = Task { [weak self] in
      try await Task.sleep(for: time)
      await self?.giveUp(call)
    }
    defer { limit.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiters.append(Waiter(call: call, depth: depth, continuation: continuation))
        startWhereNeeded()
      }
    } onCancel: {
      Task { await self.abandon(call) }
    }
  }

  /// Ends a lease.
  func release(_ lease: Lease, isSuccess: Bool) {
    expired.remove(lease.call)
    guard var instance = instances[lease.instance], instance.calls.remove(lease.call) != nil else {
      return
    }
    if isSuccess {
      instance.hasServed = true
      failures = 0
      retryTime = nil
    }
    instance.idleSince = .now
    instance.running?.depth.end(lease.call)
    instances[lease.instance] = instance
    if instance.phase == .ending, instance.calls.isEmpty { terminate(lease.instance) }
    serveWaiters()
  }

  /// Ends the instance of a call that took too long, with everything that it started.
  func expire(_ lease: Lease, seconds: Int) {
    guard let instance = instances[lease.instance], instance.calls.contains(lease.call) else {
      return
    }
    expired.insert(lease.call)
    maker.log("ERROR", "A call took longer than \(seconds) s. Its instance was stopped.")
    instance.running?.kill()
  }

  /// Returns true if a call was ended because it took too long.
  func isExpired(_ lease: Lease) -> Bool { expired.contains(lease.call) }

  private func lease(for call: Int, depth: Int) -> Lease? {
    let free = instances.filter {
      $0.value.phase == .ready && $0.value.calls.count < endpoint.concurrency
        && $0.value.running?.depth.admits(depth) == true
    }
    // The busiest that has room, so that others fall idle and end.
    guard let (number, instance) = free.max(by: { $0.value.calls.count < $1.value.calls.count }),
      let running = instance.running
    else { return nil }
    instances[number]?.calls.insert(call)
    running.depth.begin(call, depth: depth)
    return Lease(
      instance: number,
      call: call,
      port: running.port,
      callKey: running.callKey
    )
  }

  private func serveWaiters() {
    while let waiter = waiters.first, let lease = lease(for: waiter.call, depth: waiter.depth) {
      waiters.removeFirst()
      waiter.continuation.resume(returning: lease)
    }
    startWhereNeeded()
  }

  private func giveUp(_ call: Int) {
    fail(call, ServiceError(.deadlineExceeded, "No instance of \(endpoint.name) was free in time."))
  }

  private func abandon(_ call: Int) { fail(call, CancellationError()) }

  private func fail(_ call: Int, _ error: any Error) {
    guard let index = waiters.firstIndex(where: { $0.call == call }) else { return }
    waiters.remove(at: index).continuation.resume(throwing: error)
  }

  // MARK: Instances

  private func checkBackoff() throws {
    guard let retryTime, ContinuousClock.now < retryTime,
      !instances.values.contains(where: { $0.phase == .ready })
    else { return }
    throw ServiceError(
      .unavailable,
      "\(endpoint.name) failed \(failures) times in a row; the last time it \(lastReason). It is restarted after a pause."
    )
  }

  private func startWhereNeeded() {
    guard !isRetired else { return }
    let coming = instances.values.filter { $0.phase == .starting }.count * endpoint.concurrency
    if waiters.count > coming { startOne() }
  }

  /// Starts an instance where there may be one more.
  private func startOne() {
    guard instances.values.filter({ $0.phase != .ending }).count < endpoint.maxInstances else {
      return
    }
    guard maker.takeRoom() else {
      if instances.isEmpty {
        failWaiters(
          ServiceError(
            .resourceExhausted,
            "The server already runs the maximum number of instances."
          )
        )
      }
      return
    }
    lastNumber += 1
    let number = lastNumber
    instances[number] = Instance()
    Task { await begin(number) }
  }

  private func begin(_ number: Int) async {
    do {
      let running = try await maker.start { [weak self] end in
        Task { await self?.ended(number, end) }
      }
      guard instances[number] != nil else {
        // It ended before it was known here, and nobody else discards it.
        running.kill()
        running.discard()
        return
      }
      instances[number]?.running = running
      do {
        try await running.becomeReady(seconds: configuration.startSeconds)
      } catch {
        running.kill()
        throw error
      }
      guard instances[number]?.phase == .starting else {
        if instances[number] != nil { terminate(number) }
        return
      }
      instances[number]?.phase = .ready
      instances[number]?.idleSince = .now
      serveWaiters()
      if isRetired { retireInstance(number) }
    } catch {
      // An instance that ended by itself is accounted for already.
      guard let instance = instances[number] else { return }
      if instance.running == nil { forget(number) }
      let reason = (error as? ServiceError)?.message ?? "The system refused it."
      noteFailure("did not start: \(reason.last == "." ? String(reason.dropLast()) : reason)")
      maker.log("ERROR", "An instance did not start: \(reason)")
      failWaiters(
        ServiceError(
          .unavailable,
          "\(endpoint.name) \(lastReason). Its log may have more.",
          cause: error
        )
      )
    }
  }

  private func ended(_ number: Int, _ end: ProgramEnd) {
    guard let instance = instances[number] else { return }
    forget(number)
    if instance.phase != .ending {
      let isStarting = instance.phase == .starting
      maker.log(
        "ERROR",
        isStarting ? "An instance \(end.text) at its start." : "An instance \(end.text)."
      )
      noteFailure(end.text)
    }
    if instance.phase == .starting {
      failWaiters(
        ServiceError(
          .unavailable,
          "\(endpoint.name) \(end.text) at its start. Its log may have more."
        )
      )
    }
    startWhereNeeded()
  }

  private func noteFailure(_ reason: String) {
    failures += 1
    lastReason = reason
    guard failures > 1 else { return }
    retryTime = .now + .seconds(min(60, pow(2, Double(failures - 2)) * 0.5))
  }

  private func failWaiters(_ error: ServiceError) {
    let failed = waiters
    waiters = []
    for waiter in failed { waiter.continuation.resume(throwing: error) }
  }

  private func forget(_ number: Int) {
    guard let instance = instances.removeValue(forKey: number) else { return }
    instance.running?.discard()
    maker.giveRoom()
    if instances.isEmpty, isRetired {
      for waiting in emptied { waiting.resume() }
      emptied = []
    }
  }

  /// Asks an instance to end, and ends it where it doesn't.
  private func terminate(_ number: Int) {
    instances[number]?.phase = .ending
    guard let running = instances[number]?.running else { return }
    running.terminate()
    Task { [configuration] in
      try? await Task.sleep(for: .seconds(configuration.graceSeconds))
      running.kill()
    }
  }

  // MARK: The life of the pool

  /// Ends instances without recent calls, and keeps the function's minimum.
  func tend() {
    let ready = instances.filter { $0.value.phase == .ready }
    var spare = ready.count - endpoint.minInstances
    for (number, instance) in ready where spare > 0 && instance.calls.isEmpty {
      guard instance.idleSince.duration(to: .now) > .seconds(configuration.idleSeconds) else {
        continue
      }
      terminate(number)
      spare -= 1
    }
    let kept = instances.values.filter { $0.phase != .ending }.count
    guard !isRetired, kept < endpoint.minInstances else { return }
    if let retryTime, ContinuousClock.now < retryTime { return }
    startOne()
  }

  /// Takes no more calls; idle instances end now, busy ones behind their calls.
  func retire() {
    isRetired = true
    failWaiters(ServiceError(.unavailable, "\(endpoint.name) was replaced. Try again."))
    for number in instances.keys { retireInstance(number) }
  }

  private func retireInstance(_ number: Int) {
    guard let instance = instances[number], instance.phase == .ready else { return }
    instances[number]?.phase = .ending
    if instance.calls.isEmpty { terminate(number) }
  }

  /// Ends everything, and returns when it is gone.
  func end() async {
    isRetired = true
    failWaiters(ServiceError(.unavailable, "The server is stopping."))
    for number in instances.keys { terminate(number) }
    guard !instances.isEmpty else { return }
    await withCheckedContinuation { emptied.append($0) }
  }
}

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The work that a thread has for other threads, collected during a piece of work and delivered at
/// its end.
///
/// To lock a queue and wake its thread costs more than most of the jobs. So a caller with many
/// small jobs in a row opens a handover around them, and each receiver gets all their results in
/// one call, in order. A handover inside another is part of it. Results are delivered early if
/// `deliverIfDue` finds that they have waited for long. So nothing waits longer than that and one
/// job of the thread. They are also delivered before the thread waits for a write.
///
/// Belongs to one thread and is used by no other.
package final class Handover {
  private var parts: [any HandoverPart] = []
  private var isOpen = false
  /// When the oldest of what waits was added.
  private var begun = ContinuousClock.now

  /// The longest time for which an entry waits while the thread continues.
  private static let longestDelay = Duration.microseconds(100)

  private init() {}

  /// Runs a piece of work on the calling thread, and then delivers what it had for others.
  package static func during<R>(_ work: (Handover) throws -> R) rethrows -> R {
    let handover = ofThread
    guard !handover.isOpen else { return try work(handover) }
    handover.isOpen = true
    defer {
      handover.deliver()
      handover.isOpen = false
    }
    return try work(handover)
  }

  /// The handover that the calling thread has open.
  package static var current: Handover? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    let handover = Unmanaged<Handover>.fromOpaque(pointer).takeUnretainedValue()
    return handover.isOpen ? handover : nil
  }

  /// Keeps an item for its receiver until the piece of work ends.
  package func add<Receiver: HandoverReceiver>(_ item: Receiver.Item, for receiver: Receiver) {
    let identity = ObjectIdentifier(receiver)
    for part in parts where part.identity == identity {
      // One receiver has one type.
      return unsafeDowncast(part, to: PartOf<Receiver>.self).items.append(item)
    }
    if parts.isEmpty { begun = .now }
    parts.append(PartOf(receiver, item))
  }

  /// Delivers results that have waited for long; to be called between two parts of a piece of work.
  package func deliverIfDue() {
    if !parts.isEmpty, ContinuousClock.now - begun >= Self.longestDelay { deliver() }
  }

  /// Delivers the pending results now; to be called when the thread is about to wait itself.
  package func deliver() {
    while !parts.isEmpty {
      var delivered: [any HandoverPart] = []
      swap(&delivered, &parts)
      for part in delivered { part.deliver() }
    }
  }

  private static var ofThread: Handover {
    if let pointer = pthread_getspecific(key) {
      return Unmanaged<Handover>.fromOpaque(pointer).takeUnretainedValue()
    }
    let handover = Handover()
    pthread_setspecific(key, Unmanaged.passRetained(handover).toOpaque())
    return handover
  }

  /// The key of each thread's handover, which ends with its thread; made once a process.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { pointer in
      let pointer: UnsafeMutableRawPointer? = pointer
      if let pointer { Unmanaged<Handover>.fromOpaque(pointer).release() }
    }
    precondition(code == 0, "no key for a thread's own data: error \(code)")
    return key
  }()
}

/// Receives the results of other threads, many items at once.
package protocol HandoverReceiver: AnyObject, Sendable {
  /// A message from one thread to another.
  associatedtype Item: Sendable

  /// Takes items in the order in which the calling thread added them; there is at least one.
  func receive(_ items: [Item])
}

/// The items of a handover for one receiver.
private protocol HandoverPart: AnyObject {
  var identity: ObjectIdentifier { get }
  func deliver()
}

private final class PartOf<Receiver: HandoverReceiver>: HandoverPart {
  private let receiver: Receiver
  var items: [Receiver.Item]

  init(_ receiver: Receiver, _ item: Receiver.Item) {
    self.receiver = receiver
    items = [item]
  }

  var identity: ObjectIdentifier { ObjectIdentifier(receiver) }

  func deliver() { receiver.receive(items) }
}

#if canImport(Glibc)
import CEpoll
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits for any of many sockets to be ready; each is known by a number that its owner chose.
///
/// One thread's. On Linux an epoll, elsewhere a `poll` over all of them, which serves some hundreds.
struct Poller: ~Copyable {
  /// The events that a socket is ready for.
  struct Event {
    let number: Int
    let canWrite: Bool
  }

  #if canImport(Glibc)
  private let descriptor: CInt
  private var ready = [epoll_event](repeating: epoll_event(), count: 512)

  init() throws {
    descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError("epoll_create1") }
  }

  deinit { close(descriptor) }

  /// Watches a socket for reading.
  mutating func add(_ socket: CInt, number: Int) throws {
    try control(EPOLL_CTL_ADD, socket, number, EPOLLIN.rawValue)
  }

  /// Watches for room to write too, or no longer.
  mutating func setWriting(_ isWriting: Bool, _ socket: CInt, number: Int) throws {
    let more = isWriting ? EPOLLOUT.rawValue : 0
    try control(EPOLL_CTL_MOD, socket, number, EPOLLIN.rawValue | more)
  }

  /// Watches no longer; to be called before the socket is closed.
  mutating func remove(_ socket: CInt, number: Int) throws {
    try control(EPOLL_CTL_DEL, socket, number, 0)
  }

  /// The sockets that are ready, after at most that many milliseconds (negative: any time).
  mutating func wait(milliseconds: Int32, _ body: (Event) throws -> Void) throws {
    let count = epoll_wait(descriptor, &ready, Int32(ready.count), milliseconds)
    guard count >= 0 else {
      if errno == EINTR { return }
      throw SystemError("epoll_wait")
    }
    for event in ready.prefix(Int(count)) {
      try body(
        Event(number: Int(event.data.u64), canWrite: event.events & EPOLLOUT.rawValue != 0)
      )
    }
  }

  /// Waits for any socket to be ready, less than a millisecond.
  func pause(nanoseconds: Int64) throws {
    var own = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
    guard ppoll(&own, 1, &time, nil) < 0, errno != EINTR else { return }
    throw SystemError("ppoll")
  }

  private func control(
    _ operation: CInt,
    _ socket: CInt,
    _ number: Int,
    _ events: UInt32
  ) throws {
    var event = epoll_event(events: events, data: epoll_data(u64: UInt64(number)))
    guard epoll_ctl(descriptor, operation, socket, &event) == 0 else {
      throw SystemError("epoll_ctl")
    }
  }
  #else
  private var watched: [Int: pollfd] = [:]

  init() throws {}

  mutating func add(_ socket: CInt, number: Int) throws {
    watched[number] = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
  }

  mutating func setWriting(_ isWriting: Bool, _ socket: CInt, number: Int) throws {
    watched[number]?.events = Int16(isWriting ? POLLIN | POLLOUT : POLLIN)
  }

  mutating func remove(_ socket: CInt, number: Int) throws { watched[number] = nil }

  /// Does nothing: a waiter asks again and again, for less than a millisecond.
  func pause(nanoseconds: Int64) throws {}

  mutating func wait(milliseconds: Int32, _ body: (Event) throws -> Void) throws {
    let numbers = Array(watched.keys)
    var all = Array(watched.values)
    guard poll(&all, nfds_t(all.count), milliseconds) >= 0 else {
      if errno == EINTR { return }
      throw SystemError("poll")
    }
    for (number, entry) in zip(numbers, all) where entry.revents != 0 {
      try body(Event(number: number, canWrite: entry.revents & Int16(POLLOUT) != 0))
    }
  }
  #endif
}

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
  let description: String

  /// The failure that `errno` says now.
  init(_ call: String) {
    description = "\(call): \(String(cString: strerror(errno)))"
  }
}

/// A moment on the clock that never goes back, in nanoseconds.
func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Lets this process open as many sockets as the system allows it, and gives how many that is.
@discardableResult
func raiseOpenFileLimit() -> Int {
  var limit = rlimit()
  #if canImport(Glibc)
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  let resource = RLIMIT_NOFILE
  #endif
  guard getrlimit(resource, &limit) == 0 else { return 0 }
  limit.rlim_cur = limit.rlim_max
  setrlimit(resource, &limit)
  getrlimit(resource, &limit)
  return Int(clamping: limit.rlim_cur)
}

import BaseStatus
import Foundation
import Logging
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Serves administration requests on the socket in the data directory while a server runs.
///
/// Anyone who can open the socket (mode 0600) is the operator. One connection carries one request:
/// a line of JSON, then the items of an import; the response is frames of `ControlFrame`.
///
/// When the process runs out of file descriptors it still serves commands, one at a time: a
/// descriptor is kept for that.
final class ControlSocket: Sendable {
  private let descriptor: CInt
  private let directory: String
  private let administration: @Sendable (AdministrationRequest) -> any Administration
  private let log: Logger
  private let isStopping = Atomic<Bool>(false)

  private static let backoffMicroseconds: UInt32 = 50_000

  /// Binds the socket; `start` serves it.
  ///
  /// `administration` gives what does a request.
  init(
    directory: String,
    log: Logger,
    administration: @escaping @Sendable (AdministrationRequest) -> any Administration
  ) throws {
    self.directory = directory
    self.administration = administration
    self.log = log
    descriptor = try UnixSocket.listen(directory: directory)
  }

  /// Accepts connections on a thread of its own until `stop`.
  func start() {
    let thread = Thread { [self] in acceptLoop() }
    thread.name = "control"
    thread.start()
  }

  /// Closes the socket and removes it; requests in progress finish.
  func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
    unlink("\(directory)/\(UnixSocket.fileName)")
  }

  private func acceptLoop() {
    var spare = SpareDescriptor()
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      let connection = accept(descriptor, nil, nil)
      if connection >= 0 {
        serveOnThread(connection)
      } else if !wait(after: errno, &spare) {
        return
      }
    }
  }

  /// Returns true if the socket may accept again after that failure.
  private func wait(after failure: CInt, _ spare: inout SpareDescriptor) -> Bool {
    switch failure {
    case EINTR, ECONNABORTED:
      return true
    case EMFILE, ENFILE:
      spare.lend {
        let connection = accept(descriptor, nil, nil)
        if connection >= 0 { serve(LineChannel(descriptor: connection)) }
      }
      // Others may give theirs back.
      usleep(Self.backoffMicroseconds)
      return true
    case ENOBUFS, ENOMEM:
      usleep(Self.backoffMicroseconds)
      return true
    default:
      guard !isStopping.load(ordering: .sequentiallyConsistent) else { return false }
      log.error(
        "the control socket failed; commands can't reach the server until it restarts",
        metadata: ["errno": "\(failure)"]
      )
      // A command then finds no server instead of waiting.
      unlink("\(directory)/\(UnixSocket.fileName)")
      return false
    }
  }

  private func serveOnThread(_ connection: CInt) {
    let thread = Thread { [self] in serve(LineChannel(descriptor: connection)) }
    thread.name = "control-request"
    thread.start()
  }

  private func serve(_ channel: LineChannel) {
    do {
      guard let line = try channel.readLine() else { return }
      let request = try JSONDecoder().decode(AdministrationRequest.self, from: Data(line.utf8))
      try answer(request, on: channel)
    } catch {
      log.warning("a request on the control socket failed", metadata: ["error": "\(error)"])
    }
  }

  private func answer(_ request: AdministrationRequest, on channel: LineChannel) throws {
    do {
      try administration(request).perform(
        request,
        input: { try channel.readItem() },
        output: { try channel.send($0) }
      )
    } catch let error as ServiceError {
      try channel.send(.failed(code: error.code.rawValue, message: error.message))
    } catch let error as ControlError {
      throw error
    } catch {
      let message = CommandFailure(endedBy: error)?.description ?? "\(error)"
      try channel.send(.failed(code: StatusCode.internalError.rawValue, message: message))
    }
  }
}

import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Hands requests to the server that has the data directory open.
struct RemoteAdministration: Administration {
  private let channel: LineChannel

  /// Connects to the server of that directory; nil when none runs.
  init?(directory: String) throws {
    guard let descriptor = try UnixSocket.connect(directory: directory) else { return nil }
    channel = LineChannel(descriptor: descriptor)
    channel.readsWhileWriting = true
  }

  func perform(
    _ request: AdministrationRequest,
    input: () throws -> [UInt8]?,
    output: (AdministrationReply) throws -> Void
  ) throws {
    try channel.writeLine(String(decoding: JSONEncoder().encode(request), as: UTF8.self))
    do {
      while let item = try input() { try channel.writeItem(item) }
      try channel.finishWriting()
    } catch ControlError.system(_, EPIPE) {
      // The server takes no more; its response says why.
    } catch {
      // The items before the fault arrive all the same, as the error's place tells.
      try? channel.sendItems()
      throw error
    }
    while let reply = try channel.receive() {
      if case .failed(let code, let message) = reply {
        throw ControlError.refused(code: code, message: message)
      }
      try output(reply)
      if case .finished = reply { return }
    }
    throw ControlError.malformed("the response ended early")
  }
}

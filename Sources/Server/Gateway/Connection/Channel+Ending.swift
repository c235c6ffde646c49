import NIOCore
import NIOSSL

extension Channel {
  /// Closes the connection once the client was sent all that was answered.
  ///
  /// A response reaches the channel through its event loop: a turn later it is there, and closing
  /// the output waits for unwritten data. Closing all at once would cut it off. Over TLS the client
  /// is notified of the end and not waited for: one that is idle between two requests reads
  /// nothing, and would delay a stop until the time-out of TLS.
  func closeWhenWritten() {
    eventLoop.execute { self.close(mode: .output).whenComplete { _ in self.cut() } }
  }

  /// Closes the socket, past TLS and pending writes.
  func cut() {
    eventLoop.execute {
      let tls = try? self.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
      if let tls { tls.close(promise: nil) } else { self.close(promise: nil) }
    }
  }
}

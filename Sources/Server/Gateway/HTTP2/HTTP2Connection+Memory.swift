import Access
import NIOCore

/// The cost of the connection's requests and responses in the ledger.
extension HTTP2Connection {
  /// About what a gRPC call takes beside its head and its message, the HTTP/2 layer's state included.
  static let callBytes = 2 << 10
  /// The same of a request that is bridged: a task, a sequence and the router's objects.
  static let requestBytes = 6 << 10

  /// True if another stream may be opened: handlers of streams that are gone count beside those
  /// that are open, with a quarter beyond the limit for those that are just ending.
  var hasRoomForStream: Bool {
    let limit = environment.limits.streamsPerConnection
    return openLeases.value < limit + limit / 4
  }

  /// The account is trusted once a call's credentials were valid.
  func noteCredentials(_ head: RequestHead) {
    if head.authorization != nil, peer.memory.hasShownCredentials { account.trust() }
  }

  /// Takes this many bytes more for a request; if there is no room for a caller without
  /// credentials, the credentials of the request are checked.
  func extend(_ lease: RequestLease, by bytes: Int, for context: CallContext?) -> Bool {
    if lease.extend(by: bytes) { return true }
    guard let context, !account.isTrusted, environment.recognizes(context) else {
      return false
    }
    account.trust()
    return lease.extend(by: bytes)
  }

  /// Charges the bound of the channel's buffer while the socket takes nothing.
  ///
  /// A client that reads nothing has to go where others need the memory.
  func socketChanged(isWritable: Bool) {
    account.release(stalledBytes, for: .response)
    stalledBytes = 0
    // The server does not read from clients that do not read their responses.
    context?.channel.setOption(.autoRead, value: isWritable).whenFailure { _ in }
    lastProgress = .now()
    guard !isWritable else { return }
    let bytes = GatewayConfiguration.unwrittenBytesPerConnection
    if account.reserve(bytes, for: .response) {
      stalledBytes = bytes
      watchReader()
    } else {
      closeNow()
    }
  }
}

extension ByteBuffer {
  /// The same bytes in a buffer of their own, if they are a small part of the one that they lie in.
  func compacted() -> ByteBuffer {
    storageCapacity > 2 * readableBytes ? ByteBuffer(bytes: readableBytesView) : self
  }
}

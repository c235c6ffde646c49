import BaseRuntime

/// The address on which a gateway listens and the bounds that it holds its clients to.
package struct GatewayConfiguration: Sendable {
  /// The address to bind, a name or a number.
  package var host: String
  /// The TCP port; 0 lets the system choose.
  package var port: Int
  /// The address with public metrics in cleartext; nil serves them only on the port.
  package var metricsAddress: ListenAddress?
  /// True where a proxy may stand before the port, so that its clients seem to be on this machine.
  package var isBehindProxy = false
  /// Certificate and key files in PEM; nil is cleartext.
  package var tls: TLSFiles?
  /// The directory with certificates of single hosts; nil has none.
  package var certificateDirectory: String?
  /// Development's hosts and pages; nil is production.
  package var development: DevelopmentOrigins?
  /// Event loops, one thread each; 0 is one for every processor.
  package var threads: Int
  /// The bounds on connections, messages and streams.
  package var limits: Limits
  /// The bounds on sessions of browsers' WebChannel.
  package var webChannel: WebChannelLimits
  /// The amount of memory that clients may make the gateway hold.
  package var memory: ByteLedger.Limits
  /// The other nodes of a cluster; nil serves alone.
  package var peers: GatewayPeers?

  /// A gateway on that address, with the product's limits unless others are given.
  package init(
    host: String = "127.0.0.1",
    port: Int = 8080,
    tls: TLSFiles? = nil,
    development: DevelopmentOrigins? = nil,
    threads: Int = 0,
    limits: Limits = Limits(),
    webChannel: WebChannelLimits = WebChannelLimits(),
    memory: ByteLedger.Limits = ByteLedger.Limits()
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.development = development
    self.threads = threads
    self.limits = limits
    // There clients have no credentials to show.
    if development != nil { self.limits.unservedRequests = nil }
    self.webChannel = webChannel
    self.memory = memory
  }

  /// The files of the server's certificate chain and private key; both are read again on a reload.
  package struct TLSFiles: Sendable, Hashable {
    /// The path of the file with the certificate and its chain, in PEM.
    package let certificate: String
    /// The path of the file with the private key, in PEM.
    package let key: String

    /// Paths of two PEM files.
    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  /// The number of bytes that a connection's channel buffers for a slow socket before it is not
  /// writable.
  static let unwrittenBytesPerConnection = 64 << 10

  /// Bounds on the memory of one client on the server; every one has a stated response.
  package struct Limits: Sendable {
    /// Open connections; more are closed at once.
    ///
    /// Each takes a file descriptor.
    package var connections = 12_000
    /// Open streams on one HTTP/2 connection.
    ///
    /// Clients are informed of the limit; a client that exceeds it loses the connection.
    package var streamsPerConnection = 1_024
    /// The largest gRPC message and REST body; INVALID_ARGUMENT.
    package var messageBytes = 16 << 20
    /// Request metadata of a call, by HPACK's count; RESOURCE_EXHAUSTED.
    package var metadataBytes = 32 << 10
    /// Request metadata that ends the connection.
    package var headerListBytes = 64 << 10
    /// Bytes of unfinished requests on one connection; RESOURCE_EXHAUSTED for the one too many.
    package var bufferedRequestBytes = 64 << 20
    /// Answers waiting for one client to read; further calls wait to start.
    package var bufferedResponseBytes = 8 << 20
    /// The number of bytes of a streamed result in flight to its client before more is computed.
    package var streamedResultBytes = 128 << 10
    /// RST_STREAM frames in ten seconds; more end the connection with ENHANCE_YOUR_CALM.
    ///
    /// A client that gives up all its streams at once stays below.
    package var resetsPerTenSeconds = 1_250
    /// RST_STREAM frames that a client makes the server send in ten seconds, by frames that are wrong for
    /// their stream or by opening more streams than it may; more end the connection with
    /// ENHANCE_YOUR_CALM.
    package var ownResetsPerTenSeconds = 200
    /// The number of requests without effect that an HTTP/2 connection without credentials may
    /// open.
    ///
    /// At once, and again each second; it is read more slowly beyond. Nil is any number.
    package var unservedRequests: (atOnce: Int, perSecond: Int)? = (64, 100)
    /// The time for which such a connection may have that credit used up; ENHANCE_YOUR_CALM.
    package var unservedTimeout = Duration.seconds(10)
    /// PING, SETTINGS and PRIORITY frames in ten seconds; more end the connection.
    package var controlFramesPerTenSeconds = 1_000
    /// Until the first bytes, the TLS handshake and each request's head have come.
    package var headTimeout = Duration.seconds(30)
    /// The time for which a connection may have no stream, or no request, after its last one.
    package var idleTimeout = Duration.seconds(300)
    /// Until the whole body of a request has come, a gRPC call's message included.
    package var bodyTimeout = Duration.seconds(120)
    /// The part of a body of any length, such as a file's, that has to come in each of these times;
    /// less ends the connection.
    package var streamedBodyBytes = 64 << 10
    /// A client that reads none of its pending data for that long is dropped.
    package var stalledReaderTimeout = Duration.seconds(120)
    /// Until a client that is notified over TLS of its connection's end has confirmed it; a stop
    /// does not wait for that.
    package var farewellTimeout = Duration.seconds(5)
    /// The time for which open calls may continue after a stop was requested.
    package var drainTimeout = Duration.seconds(10)

    /// The product's limits.
    package init() {}
  }
}

/// An address to listen on.
package struct ListenAddress: Sendable, Hashable {
  /// A name or a number.
  package let host: String
  /// The TCP port; 0 lets the system choose.
  package let port: Int

  /// An address of those parts.
  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }
}

import AsyncHTTPClient
import NIOCore
import NIOSSL

/// The settings for requests to push services.
struct PushHostSettings: Sendable {
  let group: any EventLoopGroup
  /// A PEM file of authorities to trust besides the system's.
  var authorities: String?
  /// From a request to the last byte of its response.
  var timeout = Duration.seconds(10)
  /// Until a connection is made.
  var connectTimeout = Duration.seconds(5)
  /// The number of hosts that are kept at a time.
  var capacity = 256
  /// The number of requests that an added host may have in flight: a few while it is slow.
  var addedHosts = PushHostBounds(quick: 1_000, slow: 64)
  /// The addresses of a name; blocks.
  var resolve: @Sendable (String) throws -> [NetworkAddress] = NetworkAddress.resolve

  init(group: any EventLoopGroup) { self.group = group }

  /// A way to the URL's host that connects to that address.
  func client(
    for url: FetchURL,
    at address: NetworkAddress?,
    bounds: PushHostBounds
  ) -> PushHostClient {
    PushHostClient(
      httpClient(for: url, at: address),
      address: address,
      bounds: bounds,
      timeout: timeout
    )
  }

  /// A client that connects to that address for every host name, follows no redirects, and uses
  /// HTTP/2 if the other side does.
  func httpClient(for url: FetchURL, at address: NetworkAddress?) -> HTTPClient {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let authorities { tls.additionalTrustRoots = [.file(authorities)] }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls,
      redirectConfiguration: .disallow,
      // Each request has its deadline, which is one timer less than a bound for silence beside it.
      timeout: .init(connect: TimeAmount(connectTimeout))
    )
    if let address, NetworkAddress(url.host) == nil {
      configuration.dnsOverride = [url.host: address.description]
    }
    configuration.httpVersion = .automatic
    configuration.http2ConnectionDebugInitializer = { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        let tls = try pipeline.handler(type: NIOSSLClientHandler.self)
        try pipeline.addHandler(FlushBatch(), position: .after(tls))
      }
    }
    // Spans have no reader, and cost a request a twentieth of its time.
    configuration.tracing.tracer = nil
    // A request that waits for a connection holds a worker of the queue; the queue retries.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
    return HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
  }
}

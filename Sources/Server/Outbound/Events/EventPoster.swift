import AsyncHTTPClient
import BaseStatus
import Events
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Posts events to subscriptions within a policy.
///
/// A name is resolved here and its addresses are judged; the connection goes to the address that was judged. Redirections are
/// not followed: a response with one is a failure. Proxy settings of the environment are not read. Connections are kept per
/// URL origin and address.
package final class EventPoster: EventPosting {
  /// The credentials of a project for an audience, the value of `Authorization`.
  package typealias Authorization =
    @Sendable (_ project: String, _ audience: String) throws -> String

  /// As much of a response as is read.
  private static let largestResponse = 64 << 10
  /// Clients that are kept; the one that was made first goes.
  private static let clientsKept = 64

  private struct ClientKey: Hashable {
    let origin: String
    let address: NetworkAddress
  }

  private struct Clients {
    var byKey: [ClientKey: HTTPClient] = [:]
    var order: [ClientKey] = []
  }

  private let judge: AddressJudge
  private let allowedJudge: AddressJudge
  private let allowed: Set<String>
  private let group: any EventLoopGroup
  private let authorization: Authorization
  private let clients = Mutex(Clients())

  /// A poster that connects to public addresses over https, and to the hosts that the operator
  /// names.
  ///
  /// - Parameters:
  ///   - allowed: Hosts as `name` or `name:port`, which may be inside the network and in cleartext.
  ///   - authorities: A PEM file of authorities to trust instead of the system's.
  package init(
    allowing allowed: [String],
    authorities: String? = nil,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    authorization: @escaping Authorization
  ) {
    var policy = FetchPolicy()
    policy.authorities = authorities
    let lookups = NameLookups(NetworkAddress.resolve)
    judge = AddressJudge(policy: policy, lookups: lookups)
    policy.allowsPrivateAddresses = true
    policy.allowsCleartext = true
    allowedJudge = AddressJudge(policy: policy, lookups: lookups)
    self.allowed = Set(allowed.map { $0.lowercased() })
    self.group = group
    self.authorization = authorization
  }

  private func isAllowed(_ url: FetchURL) -> Bool {
    allowed.contains(url.host) || allowed.contains("\(url.host):\(url.port)")
  }

  /// Throws INVALID_ARGUMENT for a URL that is not allowed for any address of its host.
  package func check(_ url: String) throws {
    guard let parsed = FetchURL(url) else {
      throw ServiceError(
        .invalidArgument,
        "The target \(url.prefix(100)) is not a plain https URL."
      )
    }
    let isLocal = NetworkAddress(parsed.host).map { !$0.isPublic } ?? false
    guard !parsed.isCleartext && !isLocal || isAllowed(parsed) else {
      throw ServiceError(
        .invalidArgument,
        "Events are sent only over https and only to public addresses. To send them to \(parsed.host), add it to BRASA_EVENT_HOSTS."
      )
    }
  }

  /// Posts a request and returns its outcome.
  package func post(
    _ request: EventRequest,
    to url: String,
    project: String,
    timeoutSeconds: Int
  ) async -> DeliveryOutcome {
    guard let parsed = FetchURL(url) else {
      return .failed(status: nil, reason: "The target is not a plain https URL.")
    }
    // Without credentials, as on a full disk, no attempt is made.
    guard let credentials = try? authorization(project, parsed.origin) else { return .absent }
    do {
      let judge = isAllowed(parsed) ? allowedJudge : judge
      try judge.policy.check(parsed)
      let address = try await judge.addresses(of: parsed)[0]
      return try await perform(request, parsed, address, credentials, timeoutSeconds)
    } catch let error as OutboundError {
      return .failed(status: nil, reason: error.message)
    } catch {
      return .failed(
        status: nil,
        reason: "\(parsed.host) could not be reached: \(type(of: error))."
      )
    }
  }

  private func perform(
    _ request: EventRequest,
    _ url: FetchURL,
    _ address: NetworkAddress,
    _ credentials: String,
    _ timeoutSeconds: Int
  ) async throws -> DeliveryOutcome {
    var message = HTTPClientRequest(url: url.text)
    message.method = .POST
    for header in request.headers { message.headers.add(name: header.name, value: header.value) }
    message.headers.add(name: "user-agent", value: "brasa")
    message.headers.replaceOrAdd(name: "authorization", value: credentials)
    message.body = .bytes(ByteBuffer(bytes: request.body))
    let deadline = NIODeadline.now() + .seconds(Int64(max(1, timeoutSeconds)))
    let response = try await client(url, address).execute(message, deadline: deadline)
    let status = Int(response.status.code)
    if (200..<300).contains(status) {
      // The status is the response; a body without end is cut, and so is one that does not come.
      _ = try? await response.body.collect(upTo: Self.largestResponse, by: deadline)
      return .delivered
    }
    let body = try? await response.body.collect(upTo: Self.largestResponse, by: deadline)
    let text = body.map { String(buffer: $0) } ?? ""
    return .failed(status: status, reason: "HTTP status \(status). \(text.prefix(200))")
  }

  private func client(_ url: FetchURL, _ address: NetworkAddress) -> HTTPClient {
    let key = ClientKey(origin: url.origin, address: address)
    let (client, old) = clients.withLock { clients -> (HTTPClient, HTTPClient?) in
      if let known = clients.byKey[key] { return (known, nil) }
      let made = HTTPClient(
        eventLoopGroupProvider: .shared(group),
        configuration: configuration(url, address)
      )
      clients.byKey[key] = made
      clients.order.append(key)
      guard clients.order.count > Self.clientsKept else { return (made, nil) }
      return (made, clients.byKey.removeValue(forKey: clients.order.removeFirst()))
    }
    if let old { old.shutdown { _ in } }
    return client
  }

  private func configuration(
    _ url: FetchURL,
    _ address: NetworkAddress
  ) -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let file = judge.policy.authorities { tls.trustRoots = .file(file) }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls,
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5))
    )
    if NetworkAddress(url.host) == nil {
      configuration.dnsOverride = [url.host: address.description]
    }
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    return configuration
  }

  /// Closes the connections.
  package func shutdown() async {
    let all = clients.withLock { clients in
      defer { clients = Clients() }
      return Array(clients.byKey.values)
    }
    for client in all { try? await client.shutdown() }
  }
}

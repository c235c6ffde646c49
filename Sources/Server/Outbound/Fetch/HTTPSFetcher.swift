import AsyncHTTPClient
import Authentication
import BaseText
import NIOCore
import NIOPosix
import NIOSSL

/// Fetches documents within a policy.
///
/// A name is resolved here and its addresses are judged; then the connection goes to the address that
/// was judged, so a name cannot change its mind in between. Redirections are not followed, and proxy
/// settings of the environment are not read.
package struct HTTPSFetcher: DocumentFetcher {
  private let policy: FetchPolicy
  private let group: any EventLoopGroup
  private let judge: AddressJudge

  /// A fetcher on that event loop group.
  package init(
    policy: FetchPolicy,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) {
    self.init(policy: policy, group: group, resolve: NetworkAddress.resolve)
  }

  init(
    policy: FetchPolicy,
    group: any EventLoopGroup,
    resolve: @escaping @Sendable (String) throws -> [NetworkAddress]
  ) {
    self.policy = policy
    self.group = group
    judge = AddressJudge(policy: policy, lookups: NameLookups(resolve))
  }

  /// Fetches a document by GET, or by POST of a form.
  ///
  /// Throws `OutboundError`: `refused` where the policy forbids the address, `rejected` for a response over its
  /// size limit, `unreachable` otherwise.
  package func fetch(_ request: DocumentRequest) async throws -> FetchedDocument {
    guard let url = FetchURL(request.url) else {
      throw OutboundError(.refused, "the address is not a plain https URL")
    }
    try policy.check(url)
    let address = try await judge.addresses(of: url)[0]
    let client = HTTPClient(
      eventLoopGroupProvider: .shared(group),
      configuration: configuration(url, address)
    )
    do {
      let document = try await perform(request, at: url, client)
      try await client.shutdown()
      return document
    } catch {
      try await client.shutdown()
      if error is OutboundError { throw error }
      throw OutboundError(.unreachable, "\(url.host) could not be reached", cause: error)
    }
  }

  private func configuration(
    _ url: FetchURL,
    _ address: NetworkAddress
  ) -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let file = policy.authorities { tls.trustRoots = .file(file) }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls,
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5), read: .seconds(5))
    )
    if NetworkAddress(url.host) == nil {
      configuration.dnsOverride = [url.host: address.description]
    }
    configuration.httpVersion = .http1Only
    return configuration
  }

  private func perform(
    _ request: DocumentRequest,
    at url: FetchURL,
    _ client: HTTPClient
  ) async throws -> FetchedDocument {
    var message = HTTPClientRequest(url: url.text)
    message.headers.add(name: "accept", value: "application/json")
    message.headers.add(name: "user-agent", value: "brasa")
    if let authorization = request.authorization {
      message.headers.add(name: "authorization", value: authorization)
    }
    if let form = request.form {
      message.method = .POST
      message.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
      let fields = form.map { ($0.name, $0.value) }
      message.body = .bytes(ByteBuffer(string: PercentEncoding.form(fields)))
    }
    let deadline = NIODeadline.now() + TimeAmount(policy.timeout)
    let response = try await client.execute(message, deadline: deadline)
    let body: ByteBuffer
    do {
      body = try await response.body.collect(upTo: policy.largestBody, by: deadline)
    } catch is NIOTooManyBytesError {
      throw OutboundError(.rejected, "the response is larger than \(policy.largestBody) bytes")
    }
    return FetchedDocument(
      status: Int(response.status.code),
      body: Array(buffer: body),
      maxAge: Self.maxAge(response.headers["cache-control"])
    )
  }

  /// The seconds of `max-age`; nil without one, zero where keeping is forbidden.
  static func maxAge(_ values: [String]) -> Int? {
    let directives = values.joined(separator: ",").lowercased().split(separator: ",").map { part in
      part.filter { $0 != " " }
    }
    if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
    guard let found = directives.first(where: { $0.hasPrefix("max-age=") }) else { return nil }
    return Int(found.dropFirst(8)).map { max(0, $0) }
  }
}

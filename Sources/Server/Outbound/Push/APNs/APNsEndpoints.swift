import PushMessaging

/// The addresses of Apple's push service.
package struct APNsEndpoints: Sendable, Hashable {
  private static let apple = (
    production: "https://api.push.apple.com", sandbox: "https://api.sandbox.push.apple.com"
  )

  private let production: FetchURL
  private let sandbox: FetchURL
  /// A PEM file of authorities to trust besides the system's.
  let authorities: String?

  /// Apple's own hosts, or stand-ins of them.
  ///
  /// A stand-in gets provider tokens and messages in the clear of what they say: only this machine may be one.
  package init(
    production: String? = nil,
    sandbox: String? = nil,
    authorities: String? = nil
  ) throws(OutboundError) {
    self.production = try Self.endpoint(production, Self.apple.production)
    self.sandbox = try Self.endpoint(sandbox, Self.apple.sandbox)
    self.authorities = authorities
  }

  /// The origin for devices of that environment.
  func origin(_ environment: PushAddress.Environment) -> FetchURL {
    switch environment {
    case .production: production
    case .sandbox: sandbox
    }
  }

  private static func endpoint(
    _ text: String?,
    _ own: String
  ) throws(OutboundError) -> FetchURL {
    guard let url = FetchURL(text ?? own), !url.isCleartext else {
      throw OutboundError(.refused, "\(text ?? own) is not an https URL")
    }
    let isOwnMachine = url.host == "localhost" || NetworkAddress(url.host)?.isLoopback == true
    guard text == nil || isOwnMachine else {
      throw OutboundError(.refused, "a stand-in of Apple's service must be on this machine")
    }
    return url
  }
}

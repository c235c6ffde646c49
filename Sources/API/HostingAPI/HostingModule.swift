import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import Hosting
import KeyValueStore
import ServiceModule

/// Calls the function that a site's rewrite leads to.
///
/// The request is the visitor's, with the path as it came. Throws NOT_FOUND where there is no such function.
package typealias HostedFunctionCall =
  @Sendable (_ function: HostedFunction, _ project: Text, _ request: ServiceRequest) async throws ->
  ServiceResponse

/// The parts that the routes of Hosting work with.
package struct HostingEnvironment: Sendable {
  /// The sites.
  package let hosting: Hosting
  /// Identifies callers.
  package let access: AccessControl
  /// Do what waits for the disk.
  package let threads: EngineThreads
  /// The known projects.
  package let numbers: ProjectNumbers
  /// The server's own address, such as `https://brasa.example.org`.
  package let origin: @Sendable () -> String
  /// The configuration of a project's web app for `/__/firebase/init.json`; blocks.
  package let appConfiguration: @Sendable (_ project: Text, _ appID: String?) throws -> JSONValue
  /// Names of the server beside its origin and its numbers, in small letters.
  package let serverHosts: Set<String>
  /// True if other hosts are refused once there are sites: an operator named the server's own.
  package let refusesOtherHosts: Bool
  /// Calls functions; nil while the server has none.
  package var functions: HostedFunctionCall?
  /// Has the node that runs functions answer a request for one; nil where no other node does.
  package var functionsElsewhere: HTTPRoute.Passing?
  /// The end of the certificate that a host is served with, in microseconds since 1970; nil without one for it.
  ///
  /// Blocks.
  package var certificate: @Sendable (_ host: String) throws -> Int64? = { _ in nil }
  /// Receives the outcome of each clean-up: an error, or nil.
  package var report: @Sendable ((any Error)?) -> Void = { _ in }

  /// An environment of those parts.
  package init(
    hosting: Hosting,
    access: AccessControl,
    threads: EngineThreads,
    numbers: ProjectNumbers,
    origin: @escaping @Sendable () -> String,
    serverHosts: Set<String>,
    refusesOtherHosts: Bool,
    functions: HostedFunctionCall? = nil,
    appConfiguration: @escaping @Sendable (_ project: Text, _ appID: String?) throws -> JSONValue
  ) {
    self.hosting = hosting
    self.access = access
    self.threads = threads
    self.numbers = numbers
    self.origin = origin
    self.serverHosts = serverHosts
    self.refusesOtherHosts = refusesOtherHosts
    self.functions = functions
    self.appConfiguration = appConfiguration
  }

  /// The address of a host of sites: with the scheme and the port of the server's own.
  func address(of host: String) -> String {
    let own = origin()
    let parts = own.split(separator: "/", omittingEmptySubsequences: true)
    let scheme = parts.first.map(String.init) ?? "https:"
    let authority = parts.dropFirst().first ?? ""
    var port = ""
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      port = String(authority[colon...])
    }
    return "\(scheme)//\(host)\(port)"
  }
}

extension ServiceModule {
  /// Hosting: Google's `firebasehosting.googleapis.com` v1beta1, and the sites themselves under their hosts.
  package static func hosting(_ environment: HostingEnvironment) -> ServiceModule {
    var module = ServiceModule("hosting")
    module.hosts = ["firebasehosting.googleapis.com", "upload-firebasehosting.googleapis.com"]
    let sites = SiteRoutes(environment: environment)
    module.routes =
      sites.routes + VersionRoutes(environment: environment).routes
      + ChannelRoutes(environment: environment).routes
    let serving = SiteServing(environment: environment)
    module.sites = HostedOrigins(
      owner: { serving.owner(of: $0) },
      isOfServer: { SiteServing.isOfServer($0) },
      mayBeSite: { serving.mayBeSite($0) },
      answer: { try await serving.answer($0) }
    )
    module.tasks = [
      ServiceTask("hosting") {
        while !Task.isCancelled {
          var pause = Duration.seconds(3_600)
          do {
            try await environment.hosting.shareContent()
            try await environment.hosting.sweep()
            environment.report(nil)
          } catch is CancellationError {
            return
          } catch {
            // A store that fails for a while ends no server.
            environment.report(error)
            pause = .seconds(10)
          }
          do { try await Task.sleep(for: pause) } catch { return }
        }
      }
    ]
    return module
  }
}

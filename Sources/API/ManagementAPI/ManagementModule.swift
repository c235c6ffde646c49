import Access
import Authentication
import BaseRuntime
import BaseText
import HTTPTypes
import KeyValueStore
import ServiceModule

/// The services and settings that the management routes work with.
package struct ManagementEnvironment: Sendable {
  /// The apps of projects.
  package let accounts: Accounts
  /// Identifies callers.
  package let access: AccessControl
  /// Do what waits for the disk.
  package let threads: EngineThreads
  /// The known projects and their numbers.
  package let numbers: ProjectNumbers
  /// The name and text of an app's usual configuration file, for an app of a project; blocks.
  package let file: @Sendable (RegisteredApp, _ project: String) throws -> (String, String)
  /// True if every project is taken to be there.
  package let isDevelopment: Bool
  /// The name of the site that a project has by itself; blocks.
  package let site: @Sendable (_ project: Text) throws -> String
  /// Creates an unused project; blocks.
  package let make: @Sendable (_ project: Text) throws -> Void

  /// An environment of those parts.
  package init(
    accounts: Accounts,
    access: AccessControl,
    threads: EngineThreads,
    numbers: ProjectNumbers,
    isDevelopment: Bool,
    site: @escaping @Sendable (_ project: Text) throws -> String,
    make: @escaping @Sendable (_ project: Text) throws -> Void,
    file: @escaping @Sendable (RegisteredApp, _ project: String) throws -> (String, String)
  ) {
    self.accounts = accounts
    self.access = access
    self.threads = threads
    self.numbers = numbers
    self.isDevelopment = isDevelopment
    self.site = site
    self.make = make
    self.file = file
  }
}

extension ServiceModule {
  /// The routes that Google's command lines ask before and beside the products: the Firebase Management API v1beta1, and
  /// the little that they need of Resource Manager, Service Usage, billing and locations.
  package static func management(_ environment: ManagementEnvironment) -> ServiceModule {
    var module = ServiceModule("management")
    module.hosts = [
      "firebase.googleapis.com", "cloudresourcemanager.googleapis.com",
      "serviceusage.googleapis.com", "cloudbilling.googleapis.com",
    ]
    module.routes =
      ProjectRoutes(environment: environment).routes
      + ServiceRoutes(environment: environment).routes + AppRoutes(environment: environment).routes
    return module
  }
}

/// Routes of projects, which ask who calls before they answer.
protocol ProjectScoped: Sendable {
  var environment: ManagementEnvironment { get }
}

extension ProjectScoped {
  /// A route below a project whose response may block.
  func route(
    _ method: HTTPRequest.Method,
    _ pattern: RoutePattern,
    takes act: AdministrativeAct? = nil,
    _ answer: @escaping @Sendable (ManagementCall) throws -> ServiceResponse
  ) -> HTTPRoute {
    let route = HTTPRoute(method, pattern, for: .administrators) { [environment] request in
      let call = ManagementCall(
        environment: environment,
        request: request,
        bytes: try await request.collectText(upTo: 1 << 20)
      )
      return try await environment.threads.run(on: .maintenance) {
        let project = try call.project()
        if let act {
          _ = try environment.access.caller(for: act, of: project, request.context)
        } else {
          try environment.access.requireAdministration(
            try environment.access.identify(request.context),
            of: project
          )
        }
        return try answer(call)
      }
    }
    return act.map { route.performing($0) } ?? route.openToViewers()
  }
}

import Access
import Authentication
import BaseText
import FunctionHost
import FunctionsAPI
import FunctionsAdminAPI
import Foundation
import Gateway
import HostingAPI
import Logging
import Outbound
import ServiceModule

/// The functions of a server: the host, and what joins it to the other parts.
struct FunctionServices {
  let host: FunctionHost
  private let core: ServerCore

  /// The functions of a server; nil where they are off.
  init?(_ core: ServerCore) throws {
    let settings = core.settings
    let directory = URL(fileURLWithPath: settings.dataDirectory).standardizedFileURL.path
    var configuration = FunctionHostConfiguration(
      dataDirectory: directory,
      isDevelopment: settings.isDevelopment
    )
    func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
    if let python = settings.functions.python { configuration.python = python }
    if let node = settings.functions.node { configuration.node = node }
    if let swift = settings.functions.swift { configuration.swift = swift }
    if let folder = settings.functions.environments {
      configuration.environments = absolute(folder)
    }
    if let file = settings.functions.keyFile { configuration.keyFile = absolute(file) }
    if let most = settings.functions.mostInstances { configuration.mostInstances = most }
    // Each node of a cluster reads them; the primary alone writes.
    let shared =
      settings.store == .directory ? nil : FunctionFiles(engine: core.directory.engine)
    guard settings.functions.isServed else {
      let types = try FunctionHost.deployedBlockingTypes(configuration, shared: shared)
      if !types.isEmpty {
        Logger(label: "functions").warning(
          "sign-ins with blocking functions are refused; start the server with --functions",
          metadata: ["projects": "\(types.keys.sorted().joined(separator: " "))"]
        )
        core.accounts.guardSignIns(by: ClosedSignInGate(types))
      }
      return nil
    }
    self.core = core
    configuration.isClustered = core.cluster != nil
    if core.cluster != nil, let shared {
      try FunctionHost.checkCluster(configuration, shared: shared)
    }
    host = try FunctionHost(
      configuration,
      shared: shared.map { _ in FunctionFiles(engine: core.primaryEngine) },
      transport: { LoopbackTransport() },
      log: Logger(label: "functions")
    )
    core.accounts.guardSignIns(
      by: BlockingCalls(host) { Date().timeIntervalSince1970 }
    )
  }

  /// The administration of functions by Google's command lines, which says so where functions are off.
  static func administration(_ core: ServerCore, _ host: FunctionHost?) -> ServiceModule {
    .functionsAdministration(
      FunctionsAdminEnvironment(
        host: host,
        access: core.access,
        threads: core.threads,
        numbers: core.projectNumbers,
        origin: { [accounts = core.accounts] in accounts.origin }
      )
    )
  }

  /// The blocking functions, for the configuration of accounts.
  var decisions: FunctionDecisions {
    FunctionDecisions(host: host) { [accounts = core.accounts] in accounts.origin }
  }

  /// Calls of functions by rewrites of sites.
  var siteCalls: HostedFunctionCall {
    let call = ServiceModule.functionCalls(host, access: core.access, threads: core.threads)
    return { function, project, request in
      let address = FunctionAddress(
        project: project.string,
        region: function.region,
        name: function.name
      )
      return try await call(request, address)
    }
  }

  /// The functions as a module behind the port of a node: the primary's instances serve them.
  var module: ServiceModule {
    guard let cluster = core.cluster else { return ownModule }
    var module = ownModule.onPrimary(cluster.lease, passedOnBy: cluster.peers)
    // Only this machine's instances ask for it.
    module.root = ownModule.root
    return module
  }

  private var ownModule: ServiceModule {
    var module = ServiceModule.functions(host, access: core.access, threads: core.threads)
    if let folder = core.settings.functions.developedFolder {
      let project = core.settings.project ?? "demo-brasa"
      module.tasks.append(
        ServiceTask("functions' source") { [host] in
          await host.develop(
            URL(fileURLWithPath: folder).standardizedFileURL.path,
            project: project
          )
        }
      )
    }
    return module
  }
}

/// The gateway's listeners, as the host of functions opens them.
struct GatewayListeners: InstanceListeners {
  let listeners: FunctionListeners

  func open(
    project: String,
    depth: @escaping @Sendable () -> Int,
    admits: @escaping @Sendable (_ client: Int, _ server: Int) -> Bool
  ) async throws -> InstanceListener {
    let function = FunctionOrigin(project: Text(project), depth: depth)
    let (port, close) = try await listeners.listen(as: function, admits: admits)
    return InstanceListener(port: port, close: close)
  }
}

import Access
import Authentication
import BaseJSON
import BaseRuntime
import BaseText
import Foundation
import Hosting
import HostingAPI
import KeyValuePostgres
import ObjectStorage
import ServiceModule

/// Hosting on a data directory: records in the engine, larger files below `hosting/`, or in the database where the store is in
/// PostgreSQL.
enum HostingServices {
  /// Opens the sites of a server; blocks.
  static func open(_ core: ServerCore) throws -> Hosting {
    let settings = core.settings
    var configuration = HostingConfiguration(clock: { [clock = core.clock] in clock.now() })
    configuration.domain = settings.sitesDomain
    if !settings.isDevelopment {
      configuration.serverHost = HostName(ofOrigin: settings.origin)?.text
      configuration.serverNames = settings.serverHosts
    }
    configuration.sharesContent = core.directory.engine is PostgresEngine
    return try Hosting(
      engine: core.directory.databases.engine,
      blobs: blobs(of: core.directory.path, threads: core.threads, openFiles: 64),
      threads: core.threads,
      configuration: configuration
    )
  }

  /// The sites of a directory at rest, for commands.
  static func atRest(_ directory: OpenDataDirectory, threads: EngineThreads) throws -> Hosting {
    var configuration = HostingConfiguration(clock: RequestClock.systemTime)
    configuration.domain = ProcessInfo.processInfo.environment["BRASA_SITES_DOMAIN"]
    configuration.sharesContent = directory.engine is PostgresEngine
    return try Hosting(
      engine: directory.engine,
      blobs: blobs(of: directory.path, threads: threads),
      threads: threads,
      configuration: configuration
    )
  }

  /// The larger files of sites, which are below the data directory.
  static func blobs(
    of directory: String,
    threads: EngineThreads,
    openFiles: Int = 16
  ) throws -> LocalBlobStore {
    try LocalBlobStore(directory: directory + "/hosting", threads: threads, openFiles: openFiles)
  }

  /// The management of sites, and the sites.
  ///
  /// - Parameter functions: Calls of the functions that rewrites name; nil where functions are off.
  static func module(
    _ hosting: Hosting,
    core: ServerCore,
    functions: HostedFunctionCall?
  ) -> ServiceModule {
    let settings = core.settings
    let own = [HostName(ofOrigin: settings.origin)?.text].compactMap(\.self)
    var environment = HostingEnvironment(
      hosting: hosting,
      access: core.access,
      threads: core.threads,
      numbers: core.projectNumbers,
      origin: { [accounts = core.accounts] in accounts.origin },
      serverHosts: settings.serverHosts.union(own),
      refusesOtherHosts: settings.hasNamedOrigin && !settings.isDevelopment,
      functions: functions,
      appConfiguration: { [accounts = core.accounts] project, appID in
        try Self.configuration(of: project, appID, accounts)
      }
    )
    if let peers = core.cluster?.peers {
      environment.functionsElsewhere = {
        try await peers.forwardToPrimary($0, decidesOrigins: true)
      }
    }
    environment.certificate = { try SiteCertificates.end(of: $0, settings) }
    environment.report = { [health = core.taskHealth] in health.report("cleanup of sites", $0) }
    return .hosting(environment)
  }

  /// The configuration of a site's app: the one that it is linked with, or the project's first web app.
  private static func configuration(
    of project: Text,
    _ appID: String?,
    _ accounts: Accounts
  ) throws -> JSONValue {
    let scope = accounts.project(project)
    let apps = try scope.apps().filter { $0.platform == .web }
    guard let chosen = apps.first(where: { $0.id == appID }) ?? apps.first else {
      let members = [
        ("apiKey", project.string), ("projectId", project.string),
        ("authDomain", HostName(ofOrigin: accounts.origin)?.text ?? ""),
        ("storageBucket", "\(project.string).appspot.com"),
        ("messagingSenderId", "\(LocalAdministration.number(of: project))"),
        ("host", accounts.origin),
      ]
      return .object(members.map { .init($0.0, .string($0.1)) })
    }
    let file = AppConfiguration(
      app: chosen,
      project: project.string,
      origin: accounts.origin,
      googleClientID: try scope.googleClientID()
    )
    return try JSONValue(parsing: file.text(.json))
  }
}

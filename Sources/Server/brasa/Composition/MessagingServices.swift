import Access
import Authentication
import Installations
import KeyValueStore
import Logging
import MessagingAPI
import Outbound
import PushMessaging
import ServiceModule

extension PushService: InstallationObserver {
  /// Renews the registrations of the installation, at most once a day each.
  package func wasShown(_ installation: InstallationTokens.Installation) async throws {
    try await hear(installation: installation.id, of: installation.project)
  }

  /// Ends all registrations of the installation.
  package func wasDeleted(_ installation: InstallationTokens.Installation) async throws {
    try await end(installation: installation.id, of: installation.project)
  }
}

extension Accounts {
  /// Has a user's registrations be his no more with the write that revokes his tokens, on whichever node that is.
  func takeRegistrations(from messages: PushService) {
    let log = Logger(label: "messaging")
    writeAlongRevocations { group, scope, uid in
      guard case .project(let project) = scope else { return }
      do {
        try messages.forget(user: uid.string, of: project, in: group)
      } catch let error as KeyValueError where error.code == .corruption {
        // Damaged records there do not prevent a revocation.
        log.error(
          "push registrations of a revoked user could not be removed",
          metadata: ["error": "\(error)"]
        )
      }
    }
  }
}

/// Messaging as a module: what its API needs of installations and accounts, and the ways to devices.
enum MessagingServices {
  /// Messaging on a store that is open.
  static func module(
    _ service: PushService,
    core: ServerCore,
    shown: ShownTokens
  ) throws -> ServiceModule {
    let settings = core.settings
    var environment = MessagingEnvironment(
      service: service,
      access: core.access,
      threads: core.threads,
      keys: core.keys
    ) { token in
      let now = service.now / 1_000_000
      return shown.installation(ofAuthToken: token, now: now).map {
        MessagingEnvironment.Installation(project: $0.project, id: $0.id, appID: $0.appID)
      }
    }
    environment.takesAnyServerKey = settings.isDevelopment
    environment.origin = settings.hasNamedOrigin ? settings.origin : nil
    environment.ownOrigin = settings.origin
    let network = settings.messaging
    let seconds: @Sendable () -> Int = { Int(service.now / 1_000_000) }
    let apple = APNsTransport(
      try APNsEndpoints(
        production: network.apnsProduction,
        sandbox: network.apnsSandbox,
        authorities: network.authorities
      ),
      clock: seconds
    )
    let web = WebPushTransport(
      try PushHosts(
        adding: network.pushHosts,
        allowsPrivateAddresses: settings.isDevelopment
      ),
      authorities: network.authorities,
      clock: seconds
    )
    var module = ServiceModule.messaging(
      environment,
      transports: [.apns: apple, .webPush: web]
    ) { [health = core.taskHealth] in health.report($0, $1) }
    module.tasks.append(
      ServiceTask("connections to push services") {
        do {
          while true { try await Task.sleep(for: .seconds(3_600)) }
        } catch {}
        await apple.shutdown()
        await web.shutdown()
      }
    )
    return module
  }
}

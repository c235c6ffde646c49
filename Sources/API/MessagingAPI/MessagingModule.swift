import PushMessaging
import ServiceModule

extension ServiceModule {
  /// Cloud Messaging: sending by back ends, registration and reception by apps.
  ///
  /// It is `fcm.googleapis.com` v1 and its legacy form, `iid.googleapis.com`, `fcmregistrations.googleapis.com` v1 and
  /// what Apple's clients register by. `transports` are the ways to devices that do not connect to us.
  ///
  /// - Parameter report: Receives the outcome of each step of the named queue: an error, or nil.
  package static func messaging(
    _ environment: MessagingEnvironment,
    transports: [PushChannel: any PushTransport],
    report: @escaping @Sendable (_ queue: String, (any Error)?) -> Void
  ) -> ServiceModule {
    var module = ServiceModule("messaging")
    let service = environment.service
    module.hosts = [
      "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com",
      "fcmtoken.googleapis.com", "device-provisioning.googleapis.com",
    ]
    module.routes =
      SendRoutes(environment: environment).routes
      + CredentialRoutes(environment: environment).routes
      + ServerKeyRoutes(environment: environment).routes
      + LegacyRoutes(environment: environment).routes
      + TopicRoutes(environment: environment).routes
      + ImportRoutes(environment: environment).routes
      + RegistrationRoutes(environment: environment).routes
      + AppleRoutes(environment: environment).routes
      + StreamRoutes(environment: environment).routes
      + ResourceRoutes(environment: environment).routes
    module.metrics = { service.metrics }
    module.onShutdown = { service.streams.close() }
    module.tasks = [
      ServiceTask("fan-out") { await service.runFanOuts { report("messages to topics", $0) } },
      ServiceTask("messages' time") {
        try await service.runClock { report("scheduled messages", $0) }
      },
    ]
    for (channel, transport) in transports {
      let name = "delivery by \(channel.name)"
      let worker = LaneWorker(service, channel, transport) { report(name, $0) }
      module.tasks.append(ServiceTask(name) { await worker.run() })
    }
    return module
  }
}

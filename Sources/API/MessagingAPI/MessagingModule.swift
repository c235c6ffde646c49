import Logging
import PushMessaging
import ServiceModule

extension ServiceModule {
  /// Cloud Messaging: what back ends send, and what apps register and receive.
  ///
  /// It is `fcm.googleapis.com` v1 and its legacy form, `iid.googleapis.com`, `fcmregistrations.googleapis.com` v1 and
  /// what Apple's clients register by. `transports` are the ways to devices that do not connect to us.
  package static func messaging(
    _ environment: MessagingEnvironment,
    transports: [PushChannel: any PushTransport],
    log: Logger
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
    let report: @Sendable (any Error) -> Void = { error in
      log.error("the queues of messages are not worked on", metadata: ["error": "\(error)"])
    }
    module.tasks = [
      ServiceTask("fan-out") { await service.runFanOuts(report: report) },
      ServiceTask("messages' time") { try await service.runClock(report: report) },
    ]
    for (channel, transport) in transports {
      let worker = LaneWorker(service, channel, transport, report: report)
      module.tasks.append(ServiceTask("delivery by \(channel.name)") { await worker.run() })
    }
    return module
  }
}

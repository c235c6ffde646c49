import PushMessaging
import ServiceModule

extension ServiceStorage {
  /// The registrations, messages and queues of all projects.
  package static func messages(_ service: PushService) -> ServiceStorage {
    var storage = ServiceStorage("messages")
    storage.maintenance = {
      let hasMessages = try service.pruneStep()
      let hasRegistrations = try service.sweepRegistrationsStep()
      return hasMessages || hasRegistrations
    }
    storage.check = { _, tell in
      let seen = try MessagingVerification.verify(service) { try tell(.difference($0)) }
      return [
        StorageCount(seen.messages, "message"),
        StorageCount(seen.deliveries, "delivery", plural: "deliveries"),
        StorageCount(seen.registrations, "registration"),
      ]
    }
    return storage
  }
}

import PushMessaging
import ServiceModule

extension ServiceModule {
  /// Cloud Messaging: what back ends send, and what apps register and receive.
  package static func messaging() -> ServiceModule {
    var module = ServiceModule("messaging")
    module.hosts = [
      "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com",
      "fcmtoken.googleapis.com", "device-provisioning.googleapis.com",
    ]
    return module
  }
}

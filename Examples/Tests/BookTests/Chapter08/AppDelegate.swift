// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import Firebase
import Foundation

/// Chapter 8: messages. The lines of UIKit and of the system's notifications are apart; each gap names them.
enum Chapter08 {}

extension Chapter08 {
  // 8.7.1
  struct SalesNotification: Decodable {
    let newOrderStatus: String
    let userEmail: String
    let orderID: Int
    let infoReason: String
  }

  // 8.7.2
  class SalesMessageViewModel: ObservableObject {

    private init() {}

    static let shared = SalesMessageViewModel()

    @Published var newOrderStatus: String = ""
    @Published var userEmail: String = ""
    @Published var orderID: Int = 0
    @Published var infoReason: String = ""
    @Published var messageId: String = ""

    // Combine's own on Apple's systems.
    let objectWillChange = ObjectWillChange()
  }

  // 8.6.2. UI apart: `UIResponder, UIApplicationDelegate` as the class's parents.
  class AppDelegate {
    let gcmMessageIDKey = "gcm.message_id"
    let orderInfoKey = "gcm.notification.orderInfo"

    private var salesMessageViewModel: SalesMessageViewModel = .shared

    // Not in the book: what the log has printed, for the test.
    var registrationToken: String?

    // UI apart: the parameters `UIApplication` and `launchOptions`, and what asks the person for
    // permission and the system for its token (`UNUserNotificationCenter`,
    // `registerForRemoteNotifications`). The options stand for the file of the bundle.
    func application(didFinishLaunchingWithOptions options: FirebaseOptions) -> Bool {
      FirebaseApp.configure(options: options)

      Messaging.messaging().delegate = self

      return true
    }

    // UI apart: the completion with `UIBackgroundFetchResult`.
    func application(didReceiveRemoteNotification userInfo: [AnyHashable: Any]) {
      if let messageID = userInfo[gcmMessageIDKey] {
        print("Message ID: \(messageID)")
      }
    }

    func application(didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
      print("APNs token retrieved: \(deviceToken)")
    }

    // The scan lacks the last parenthesis.
    func application(didFailToRegisterForRemoteNotificationsWithError error: Error) {
      print("Unable to register for remote notifications: \(error.localizedDescription)")
    }
  }
}

extension Chapter08.AppDelegate: MessagingDelegate {
  func messaging(
    _ messaging: Messaging,
    didReceiveRegistrationToken fcmToken: String?
  ) {
    print("FCM registration token: \(String(describing: fcmToken))")

    //Enviar a informação para o servidor
    registrationToken = fcmToken
  }

  // UI apart: `UNUserNotificationCenterDelegate`, whose two functions call `publishMessage` with the
  // dictionary of the notification. Off Apple's systems the SDK gives the same dictionary here.
  func messaging(_ messaging: Messaging, didReceiveMessage userInfo: [AnyHashable: Any]) {
    application(didReceiveRemoteNotification: userInfo)
    publishMessage(userInfo: userInfo)
  }

  // 8.7.3
  private func publishMessage(userInfo: [AnyHashable: Any]) {
    print(userInfo)

    if let messageID = userInfo[gcmMessageIDKey] {
      print("Message ID: \(messageID)")
      salesMessageViewModel.messageId = "\(messageID)"
    }

    if let notification = userInfo[orderInfoKey] {
      let data = "\(notification)".data(using: .utf8)!

      if let salesNotification = try? JSONDecoder()
        .decode(Chapter08.SalesNotification.self, from: data)
      {
        salesMessageViewModel.newOrderStatus = salesNotification.newOrderStatus
        salesMessageViewModel.userEmail = salesNotification.userEmail
        salesMessageViewModel.orderID = salesNotification.orderID
        salesMessageViewModel.infoReason = salesNotification.infoReason
      }
    }
  }
}

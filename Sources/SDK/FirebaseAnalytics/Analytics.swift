import FirebaseCore
import Foundation

/// Events of the default app and properties of its users.
///
/// Calls never throw: invalid input is logged and dropped. May be used from any thread, once the
/// default app is configured.
public final class Analytics: NSObject, Sendable {
  private override init() {}

  private static var collector: EventCollector? {
    FirebaseApp.app().map(EventCollector.collector)
  }

  // MARK: Events

  /// Logs an event.
  ///
  /// Names have 1 to 40 letters, digits and `_`, and begin with a letter. Values are texts of at most 100 characters,
  /// whole numbers and fractions; `items` is an array of dictionaries. There are at most 25 parameters. The event is in
  /// a file when the call returns.
  public static func logEvent(_ name: String, parameters: [String: Any]?) {
    collector?.logEvent(name, parameters ?? [:])
  }

  /// Sets parameters that all events have, in later runs too; `NSNull` removes one of them, nil all.
  public static func setDefaultEventParameters(_ parameters: [String: Any]?) {
    collector?.setDefaultParameters(parameters)
  }

  /// Logs an error that the app got over, as `app_exception` with `fatal` 0.
  ///
  /// The event names the error's domain and code; reports count it by them. An error that ends the
  /// process is logged by itself, at the next start.
  ///
  /// - Parameter userInfo: Further parameters, as those of any event.
  public static func record(error: any Error, userInfo: [String: Any]? = nil) {
    collector?.record(error, userInfo ?? [:])
  }

  // MARK: Users

  /// Sets a property of the user: at most 25, with names of 24 and values of 36 characters; nil removes it.
  public static func setUserProperty(_ value: String?, forName name: String) {
    collector?.setUserProperty(value, forName: name)
  }

  /// Sets the user's id, of at most 256 characters; nil removes it.
  public static func setUserID(_ userID: String?) { collector?.setUserID(userID) }

  // MARK: What is collected

  /// Collects events or not, in later runs too.
  ///
  /// Without a call `FIREBASE_ANALYTICS_COLLECTION_ENABLED` of the property list decides.
  public static func setAnalyticsCollectionEnabled(_ analyticsCollectionEnabled: Bool) {
    collector?.setEnabled(analyticsCollectionEnabled)
  }

  /// Sets what the user consents to; types that are not named stay as they are.
  public static func setConsent(_ consentSettings: [ConsentType: ConsentStatus]) {
    collector?.setConsent(consentSettings)
  }

  /// Deletes all queued events and all data about the user; the app instance gets another ID.
  public static func resetAnalyticsData() { collector?.reset() }

  // MARK: Instances and sessions

  /// The id by which the server knows this installation; nil without consent to one.
  public static func appInstanceID() -> String? { collector?.instanceID }

  /// Sets the seconds after which a session without activity is over: 1,800 by default.
  public static func setSessionTimeoutInterval(_ sessionTimeoutInterval: TimeInterval) {
    collector?.setSessionTimeout(sessionTimeoutInterval)
  }

  /// The ID of the current session.
  public static func sessionID() async throws -> Int64 {
    guard let id = collector?.sessionID else {
      throw NSError(
        domain: "com.firebase.analytics",
        code: 0,
        userInfo: [
          NSLocalizedDescriptionKey: "There is no session, or the user has not consented to its ID."
        ]
      )
    }
    return id
  }

  /// The ID of the current session, or the reason why there is none.
  public static func sessionID(completion: @escaping (Int64, (any Error)?) -> Void) {
    AppCallback { (id: Int64?, error) in completion(id ?? 0, error) }
      .deliver(on: .main) { try await sessionID() }
  }

  // MARK: Links

  /// Logs the campaign that a link names by `utm_source`, `utm_medium` and `utm_campaign`, if it names one.
  public static func handleOpen(_ url: URL) { collector?.logCampaign(of: url) }

  #if canImport(ObjectiveC)
  /// Logs the campaign that a user activity's web page names, if it names one.
  public static func handleUserActivity(_ userActivity: Any) {
    if let url = (userActivity as? NSUserActivity)?.webpageURL { collector?.logCampaign(of: url) }
  }

  #endif

  /// Calls the handler at once: events do not go by background sessions.
  public static func handleEvents(
    forBackgroundURLSession identifier: String,
    completionHandler: (() -> Void)? = nil
  ) {
    completionHandler?()
  }

  // MARK: Conversions on the device

  /// Says in the log that there is no such measurement: the address stays on the device.
  public static func initiateOnDeviceConversionMeasurement(emailAddress: String) {
    logConversionMeasurement()
  }

  /// Says in the log that there is no such measurement: the number stays on the device.
  public static func initiateOnDeviceConversionMeasurement(phoneNumber: String) {
    logConversionMeasurement()
  }

  /// Says in the log that there is no such measurement: the hash stays on the device.
  public static func initiateOnDeviceConversionMeasurement(hashedEmailAddress: Data) {
    logConversionMeasurement()
  }

  /// Says in the log that there is no such measurement: the hash stays on the device.
  public static func initiateOnDeviceConversionMeasurement(hashedPhoneNumber: Data) {
    logConversionMeasurement()
  }

  private static func logConversionMeasurement() {
    FirebaseLog.write(
      .warning,
      "FirebaseAnalytics",
      "I-ACS800000",
      "Brasa does not support on-device conversion measurement; nothing was sent."
    )
  }
}

import Observation

/// The screen of who is signed in: the five lines of the last push, and the banner of a new one.
@MainActor @Observable
package final class StatusViewModel {
  /// The content of the last push; nil before there is one.
  package private(set) var update: OrderUpdate?
  /// The push that a banner tells of, where banners are allowed.
  package private(set) var banner: OrderPush?
  /// The id of a push that came last and cannot be read.
  package private(set) var unreadable: String?
  /// True if the person allows banners; nil until they were asked.
  package private(set) var allowsBanners: Bool?
  /// This device's token, once the provider knows it: what the book prints.
  package private(set) var token: String?
  /// Why the provider does not know this device.
  package private(set) var problem: String?
  @ObservationIgnored private let device: DeviceStore

  init(_ device: DeviceStore) {
    self.device = device
    update = device.state.update
    allowsBanners = device.state.allowsBanners
  }

  /// Takes the answer to whether notifications may be shown.
  package func decide(allowsBanners isAllowed: Bool) {
    allowsBanners = isAllowed
    if !isAllowed { banner = nil }
    device.change { $0.allowsBanners = isAllowed }
  }

  package func dismissBanner() { banner = nil }

  // MARK: What comes

  /// Shows a push, unless it is about another person's order.
  func take(_ push: OrderPush) {
    guard let update = push.update else {
      (self.update, unreadable) = (nil, push.messageID)
      return device.change { $0.update = nil }
    }
    guard let person = device.state.person, update.isOf(person) else { return }
    (self.update, unreadable) = (update, nil)
    device.change { $0.update = update }
    if allowsBanners == true { banner = push }
  }

  // MARK: Who is signed in

  func begin(_ person: String) { device.change { $0.person = person } }

  /// Empties the screen, so that the next person sees nothing of it.
  func end() {
    (update, banner, unreadable, token, problem) = (nil, nil, nil, nil, nil)
    device.change { ($0.person, $0.update) = (nil, nil) }
  }

  // MARK: Registration

  var isHandedOver: Bool {
    get { device.state.isHandedOver }
    set { device.change { $0.isHandedOver = newValue } }
  }

  func didRegister(_ token: String) { (self.token, problem) = (token, nil) }

  /// Says why the provider does not know this device, or that nobody could be signed out.
  func report(_ text: String) { (token, problem) = (nil, text) }
}

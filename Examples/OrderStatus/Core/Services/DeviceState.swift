/// The state that the app keeps on this device between its runs.
struct DeviceState: Codable, Equatable, Sendable {
  /// True if the person allows banners; nil until they were asked.
  var allowsBanners: Bool?
  /// The email of who is signed in; nil where nobody is.
  var person: String?
  /// True if the provider may know this device's token: written before it is sent, and until it is
  /// taken back.
  var isHandedOver = false
  /// The update that is on the screen.
  var update: OrderUpdate?
}

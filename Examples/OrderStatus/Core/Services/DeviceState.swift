/// What the app keeps on this device between its runs.
struct DeviceState: Codable, Equatable, Sendable {
  /// Whether the person allows banners; nil until they were asked.
  var allowsBanners: Bool?
  /// The email of who is signed in; nil where nobody is.
  var person: String?
  /// Whether the provider may know this device's token: written before it is told, and until it is taken back.
  var isHandedOver = false
  /// The update that is on the screen.
  var update: OrderUpdate?
}

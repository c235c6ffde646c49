/// The Apple environment from which a device's token is.
public enum MessagingAPNSTokenType: Int, Sendable {
  /// Whichever the app was built for.
  case unknown = 0
  /// The one for development.
  case sandbox = 1
  /// The default one.
  case prod = 2
}

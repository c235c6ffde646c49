import ServiceModule

/// A bidirectional method whose messages have a JSON form, which is what browsers can call.
struct WebChannelMethod: Sendable {
  let served: ServedMethod
  let open: StreamingCall.OpenCall
  let json: ServiceMethod.JSONForm

  /// Nil for a method of another kind.
  init?(_ served: ServedMethod) {
    guard case .bidirectional(let open) = served.handler, let json = served.json else { return nil }
    self.served = served
    self.open = open
    self.json = json
  }
}

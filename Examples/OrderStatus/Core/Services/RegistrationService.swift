import RESTClient

/// Tells the sales provider which device hears of the signed-in person's orders.
package struct RegistrationService: Sendable {
  private let client: HTTPClient

  /// - Parameter client: Sends with the person's access token.
  package init(client: HTTPClient) {
    self.client = client
  }

  /// Hands the device's token over; whoever had it before hears no more by this device.
  func handOver(_ token: String) async throws(RequestError) {
    try await client.send(Endpoint<Void>(.put, "api", "users", "update_gcm_reg_id", token))
  }

  /// Takes the token back; another device of the person stays.
  func takeBack(_ token: String) async throws(RequestError) {
    try await client.send(Endpoint<Void>(.delete, "api", "users", "update_gcm_reg_id", token))
  }
}

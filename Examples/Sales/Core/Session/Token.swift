/// The pair of tokens that the provider issues.
package struct Token: Codable, Sendable, Equatable {
  package let access: String
  package let refresh: String

  private enum CodingKeys: String, CodingKey {
    case access = "access_token"
    case refresh = "refresh_token"
  }
}

import Foundation

/// The link of an email, taken apart.
public final class ActionCodeURL: NSObject, Sendable {
  /// The key of the project.
  public let apiKey: String?
  /// The operation that the code performs.
  public let operation: ActionCodeOperation
  /// The code.
  public let code: String?
  /// The page on which the person continues.
  public let continueURL: URL?
  /// The language of the email.
  public let languageCode: String?

  /// Nil for a link without a code.
  public init?(link: String) {
    let fields = Self.fields(link)
    guard let mode = fields["mode"], let code = fields["oobCode"] else { return nil }
    apiKey = fields["apiKey"]
    operation = ActionCodeOperation(mode: mode)
    self.code = code
    continueURL = fields["continueUrl"].flatMap(URL.init)
    languageCode = fields["lang"]
  }

  /// The code of a sign-in link; nil for every other link.
  static func signInCode(in link: String) -> String? {
    let fields = fields(link)
    guard fields["mode"] == "signIn", let code = fields["oobCode"], !code.isEmpty else {
      return nil
    }
    return code
  }

  /// The members of the query, of the link inside the link if there is one; three deep.
  private static func fields(_ link: String, depth: Int = 3) -> [String: String] {
    let items = URLComponents(string: link)?.queryItems ?? []
    let fields = Dictionary(
      items.compactMap { item in item.value.map { (item.name, $0) } },
      uniquingKeysWith: { first, _ in first }
    )
    guard fields["oobCode"] == nil, depth > 0,
      let inner = fields["link"] ?? fields["deep_link_id"]
    else { return fields }
    return Self.fields(inner, depth: depth - 1)
  }
}

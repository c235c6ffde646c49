import BaseJSON

/// The pages' files, which are in the binary: no library, nothing from elsewhere, no script or style
/// inside a page.
///
/// Their sources are in `Files`; the build embeds them byte by byte.
enum PageFiles {
  /// Colours follow the system's light or dark.
  static let style = text(PackageResources.page_css)
  /// An ember.
  static let icon = text(PackageResources.icon_svg)
  /// The scripts by their names: of the action page, of the handler and of the frame.
  static let scripts = [
    "action.js": text(PackageResources.action_js),
    "handler.js": text(PackageResources.handler_js),
    "handler-accounts.js": text(PackageResources.handler_accounts_js),
    "handler-event.js": text(PackageResources.handler_event_js),
    "iframe.js": text(PackageResources.iframe_js),
  ]
  private static let template = text(PackageResources.page_html)
  private static let frameTemplate = text(PackageResources.iframe_html)

  /// The page that links in mail lead to.
  static func action(_ language: CodeEmail.Language) -> String {
    page(language, script: "action.js", .object([JSONValue.Member]()))
  }

  /// The page that sign-ins with a provider begin at and that providers lead back to.
  static func handler(_ language: CodeEmail.Language, _ facts: JSONValue) -> String {
    page(language, script: "handler.js", facts)
  }

  /// The frame that gives the app's page the events of sign-ins.
  static func frame(_ facts: JSONValue) -> String {
    frameTemplate.replacing("{{facts}}", with: escaped(facts))
  }

  private static func page(
    _ language: CodeEmail.Language,
    script: String,
    _ facts: JSONValue
  ) -> String {
    let needsScript =
      language == .portuguese
      ? "Esta página precisa de JavaScript." : "This page needs JavaScript."
    return
      template
      .replacing("{{language}}", with: language.rawValue)
      .replacing("{{script}}", with: script)
      .replacing("{{needsScript}}", with: needsScript)
      // Last: a fact could hold the name of a slot.
      .replacing("{{facts}}", with: escaped(facts))
  }

  /// JSON as the value of an attribute.
  private static func escaped(_ facts: JSONValue) -> String {
    String(decoding: facts.compactBytes, as: UTF8.self)
      .replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
      .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }
}

/// The pages' files, which are in the binary: no library, nothing from elsewhere, no script or style
/// inside a page.
///
/// Their sources are in `Files`; the build embeds them byte by byte.
enum PageFiles {
  /// Colours follow the system's light or dark.
  static let style = text(PackageResources.page_css)
  /// An ember.
  static let icon = text(PackageResources.icon_svg)
  /// What the action page does.
  static let actionScript = text(PackageResources.action_js)
  /// What the handler page does: a window that was opened for a provider's sign-in gives the address
  /// that the provider led back to to the window that opened it, if that is of the same origin.
  static let handlerScript = text(PackageResources.handler_js)
  private static let template = text(PackageResources.page_html)

  /// The page that links in mail lead to.
  static func action(_ language: CodeEmail.Language) -> String {
    page(language, script: "action.js")
  }

  /// The page that providers lead back to.
  static func handler(_ language: CodeEmail.Language) -> String {
    page(language, script: "handler.js")
  }

  private static func page(_ language: CodeEmail.Language, script: String) -> String {
    let needsScript =
      language == .portuguese
      ? "Esta página precisa de JavaScript." : "This page needs JavaScript."
    return
      template
      .replacing("{{language}}", with: language.rawValue)
      .replacing("{{script}}", with: script)
      .replacing("{{needsScript}}", with: needsScript)
  }

  private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }
}

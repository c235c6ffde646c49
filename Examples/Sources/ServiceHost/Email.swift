/// The form of an e-mail address that the services accept: one `@`, a local part, and a domain
/// with a dot inside; no spaces or control characters; at most 100 Unicode scalars.
package enum Email {
  package static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, TextLine.isValid(text) else { return false }
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
      && !text.unicodeScalars.contains(where: \.properties.isWhitespace)
  }
}

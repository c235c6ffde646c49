/// The form of an e-mail address that the services accept: one `@`, a local part, and a domain
/// with a dot inside; no spaces or control characters; at most 100 characters.
package enum Email {
  package static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, text.count <= 100, !parts[0].isEmpty else { return false }
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
      && text.unicodeScalars.allSatisfy { $0.value > 32 && $0.value != 127 }
  }
}

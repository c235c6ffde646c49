/// The form of a text that the services store as one line, such as a name.
package enum TextLine {
  /// True for a text with something to read, at most `limit` Unicode scalars, and no control characters.
  ///
  /// Scalars are counted, since one character may consist of thousands of them.
  package static func isValid(_ text: String, upTo limit: Int = 100) -> Bool {
    text.unicodeScalars.count <= limit && !text.allSatisfy(\.isWhitespace)
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

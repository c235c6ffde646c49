/// A file from elsewhere that cannot be read, as a sentence.
package struct ExportFailure: Error, CustomStringConvertible {
  /// The sentence.
  package let description: String

  /// A failure with its sentence.
  package init(_ description: String) { self.description = description }
}

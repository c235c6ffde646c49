import BaseText
import KeyValueStore

extension RecordWriter {
  /// Appends a text; leaves out nil.
  mutating func put(_ tag: UInt8, _ text: Text?) { put(tag, text?.string) }
}

extension RecordReader.Field {
  /// The field as a text.
  func text() throws -> Text { Text(try string()) }
}

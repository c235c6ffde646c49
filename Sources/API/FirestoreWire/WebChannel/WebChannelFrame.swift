/// The framing of everything that a WebChannel server sends: the text's length, a line feed, the
/// text; frames follow each other without anything between.
///
/// The length counts UTF-16 code units, as a browser's strings do: not bytes, not characters.
package enum WebChannelFrame {
  /// A frame around a text in UTF-8.
  package static func frame(_ text: [UInt8]) -> [UInt8] {
    var frame = Array(String(utf16Length(text)).utf8)
    frame.reserveCapacity(frame.count + 1 + text.count)
    frame.append(UInt8(ascii: "\n"))
    frame += text
    return frame
  }

  /// Returns the number of UTF-16 code units of a text in UTF-8: one for every scalar, two beyond
  /// U+FFFF.
  package static func utf16Length(_ text: [UInt8]) -> Int {
    var length = 0
    for byte in text {
      if byte & 0xC0 != 0x80 { length += byte >= 0xF0 ? 2 : 1 }
    }
    return length
  }
}

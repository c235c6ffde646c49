import Foundation

/// A colour that is stored as the web writes it: `#rrggbb`, or `#rrggbbaa` where it is not opaque.
///
/// One text instead of a map of numbers, so any other client can use it as it is. What was read is
/// written again as it was, its alpha included; only capitals become small letters.
package struct HexColor: Hashable, Sendable {
  package let red: UInt8
  package let green: UInt8
  package let blue: UInt8
  package let alpha: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Reads `#rrggbb` or `#rrggbbaa`; nil for everything else.
  package init?(_ text: String) {
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
      digits.count == 6 || digits.count == 8,
      let value = UInt32(digits.count == 6 ? digits + "ff" : digits, radix: 16)
    else { return nil }
    self.init(
      red: UInt8(value >> 24),
      green: UInt8(value >> 16 & 255),
      blue: UInt8(value >> 8 & 255),
      alpha: UInt8(value & 255)
    )
  }

  /// The stored text.
  package var text: String {
    let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
    return "#" + channels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// True if black text is the readable one on it, over white if it is not opaque.
  ///
  /// Light is a colour two of whose channels are above 0.65.
  package var isLight: Bool {
    let opacity = Double(alpha) / 255
    return [red, green, blue].count { Double($0) / 255 * opacity + 1 - opacity > 0.65 } >= 2
  }
}

extension HexColor: Codable {
  /// Reads the text; one that is no colour is corrupt data, not black.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let color = HexColor(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text)\" is no colour: #rrggbb and #rrggbbaa are."
      )
    }
    self = color
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

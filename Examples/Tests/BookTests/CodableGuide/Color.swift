// swift-format-ignore-file
// The listings are the guide's.
import Foundation

extension Guide {
  /// The part of SwiftUI's `Color` that the guide uses.
  struct Color: Hashable {
    enum Space { case sRGB }

    let components: [UInt8]

    init(_ space: Space, red: Double, green: Double, blue: Double, opacity: Double) {
      components = [red, green, blue, opacity].map { UInt8(($0 * 255).rounded()) }
    }
  }
}

extension Guide.Color {
  init(hex: String) {
    let rgba = hex.toRGBA()
    self.init(
      .sRGB,
      red: Double(rgba.r),
      green: Double(rgba.g),
      blue: Double(rgba.b),
      opacity: Double(rgba.alpha)
    )
  }

  // The guide leaves the translation out.
  var toHex: String {
    "#" + components.map { String(format: "%02x", $0) }.joined()
  }
}

extension Guide.Color: Codable {
  public init(from decoder: Decoder) throws {
    let container = try decoder.singleValueContainer()
    let hex = try container.decode(String.self)
    self.init(hex: hex)
  }
  public func encode(to encoder: Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(toHex)
  }
}

extension String {
  /// The parts of `#rrggbb` or `#rrggbbaa`, from 0 to 1; black for any other text.
  fileprivate func toRGBA() -> (r: Float, g: Float, b: Float, alpha: Float) {
    let digits = hasPrefix("#") ? String(dropFirst()) : self
    guard let value = UInt32(digits.count == 6 ? digits + "ff" : digits, radix: 16) else {
      return (0, 0, 0, 1)
    }
    func part(_ shift: UInt32) -> Float { Float((value >> shift) & 0xff) / 255 }
    return (part(24), part(16), part(8), part(0))
  }
}

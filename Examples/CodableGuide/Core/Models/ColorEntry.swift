import FirebaseFirestore

/// A colour with a name.
package struct ColorEntry: Codable, Sendable {
  @DocumentID package var id: String?
  package var name: String
  package var color: HexColor

  package static var empty: ColorEntry {
    ColorEntry(name: "", color: HexColor(red: 0xf0, green: 0x51, blue: 0x38))
  }
}

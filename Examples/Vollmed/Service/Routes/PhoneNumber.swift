import ServiceHost

/// A phone number, accepted as text or as a JSON number and always answered as text.
struct PhoneNumber: Decodable {
  let text: String

  /// True where it can be stored; an empty one can.
  var isValid: Bool { text.isEmpty || TextLine.isValid(text, upTo: 30) }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Int64.self) {
      text = String(number)
    } else {
      text = try value.decode(String.self)
    }
  }
}

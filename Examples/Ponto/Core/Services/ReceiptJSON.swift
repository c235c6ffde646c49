import Foundation

/// A receipt as the service wants it.
struct ReceiptForm: Encodable {
  let id: String
  let status = false
  let data: String
  let localizacao: Place

  init(_ receipt: Receipt) {
    id = receipt.id.uuidString.lowercased()
    data = ReceiptDate.text(receipt.date)
    localizacao = receipt.place
  }
}

/// The service's list; an element that is not a receipt is left out, the others stay.
///
/// Coordinates come as texts or as numbers; a receipt without a place is at `Place.unknown`.
struct ReceiptList: Decodable {
  let values: [Receipt]

  init(from decoder: any Decoder) throws {
    var array = try decoder.unkeyedContainer()
    var values: [Receipt] = []
    while !array.isAtEnd {
      if let receipt = try array.decode(Element.self).receipt { values.append(receipt) }
    }
    self.values = values
  }

  private struct Element: Decodable {
    let receipt: Receipt?

    private enum Key: String, CodingKey {
      case id, data, localizacao, latitude, longitude
    }

    init(from decoder: any Decoder) throws {
      guard let object = try? decoder.container(keyedBy: Key.self),
        let id = try? object.decode(UUID.self, forKey: .id),
        let date = (try? object.decode(String.self, forKey: .data)).flatMap(ReceiptDate.date)
      else {
        receipt = nil
        return
      }
      let place = try? object.nestedContainer(keyedBy: Key.self, forKey: .localizacao)
      receipt = Receipt(
        id: id,
        date: date,
        place: Place(
          latitude: Self.degrees(.latitude, in: place),
          longitude: Self.degrees(.longitude, in: place)
        )
      )
    }

    private static func degrees(_ key: Key, in place: KeyedDecodingContainer<Key>?) -> Double {
      guard let place else { return 0 }
      if let number = try? place.decode(Double.self, forKey: key) { return number }
      return (try? place.decode(String.self, forKey: key)).flatMap(Double.init) ?? 0
    }
  }
}

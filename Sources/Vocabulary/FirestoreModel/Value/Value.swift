import BaseText

/// A Firestore value, decoded.
///
/// Numbers keep their wire type: `.integer(3)` and `.double(3)` are equal in the order and distinct
/// here. The total order is in `Value+Order.swift`; `==` is identity of stored values, type and
/// bits (`Value+Identity.swift`), not Firestore's equality, which is `compare(_:) == .equal`.
package enum Value: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  /// The decoder truncates it to microseconds.
  case timestamp(Timestamp)
  case string(Text)
  case bytes([UInt8])
  case reference(DocumentName)
  case geoPoint(GeoPoint)
  case array([Value])
  case map(MapValue)
  /// On the wire a map with one reserved key.
  indirect case bson(BSONValue)
  /// On the wire a map `{__type__: "__vector__", value: [doubles]}`.
  case vector([Double])
}

/// A point on the globe, in degrees.
///
/// Latitude is within -90 and 90, longitude within -180 and 180, neither NaN (checked where it is
/// decoded).
package struct GeoPoint: Sendable {
  /// Degrees north of the equator.
  package let latitude: Double
  /// Degrees east of the prime meridian.
  package let longitude: Double

  /// A point on the globe.
  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A map's entries, sorted by the UTF-8 bytes of their keys, each key once.
package struct MapValue: Sendable, Hashable {
  /// One field of a map.
  package struct Entry: Sendable, Hashable {
    /// The field's name, unescaped.
    package let key: Text
    /// The field's value, possibly a map again.
    package var value: Value

    /// A field of that name.
    package init(key: Text, value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// Sorted, unique.
  package private(set) var entries: [Entry]

  /// No fields.
  package init() { entries = [] }

  /// Sorts the entries; where a key comes twice the later one wins, as in protobuf maps.
  package init(_ unsorted: [Entry]) {
    if zip(unsorted, unsorted.dropFirst()).allSatisfy({ $0.key < $1.key }) {
      entries = unsorted
      return
    }
    entries = []
    entries.reserveCapacity(unsorted.count)
    let ordered = unsorted.enumerated().sorted {
      switch $0.element.key.compare($1.element.key) {
      case .ascending: true
      case .equal: $0.offset < $1.offset
      case .descending: false
      }
    }
    for (_, entry) in ordered {
      if entries.last?.key == entry.key { entries.removeLast() }
      entries.append(entry)
    }
  }

  /// The field's value; setting nil removes it.
  ///
  /// Logarithmic to find, linear to insert.
  package subscript(key: Text) -> Value? {
    get {
      let index = position(of: key)
      return index < entries.count && entries[index].key == key ? entries[index].value : nil
    }
    set {
      let index = position(of: key)
      let found = index < entries.count && entries[index].key == key
      switch (found, newValue) {
      case (true, let value?): entries[index].value = value
      case (true, nil): entries.remove(at: index)
      case (false, let value?): entries.insert(Entry(key: key, value: value), at: index)
      case (false, nil): break
      }
    }
  }

  private func position(of key: Text) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

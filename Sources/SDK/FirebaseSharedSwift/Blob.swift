import Foundation

// Bytes that stay bytes, for stores that have them.

extension FirebaseDataEncoder.DataEncodingStrategy {
  /// As bytes.
  public static var blob: Self {
    .custom { data, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(Blob(data: data))
    }
  }
}

extension FirebaseDataDecoder.DataDecodingStrategy {
  /// From bytes, or from text in base 64.
  public static var blob: Self {
    .custom { decoder in try decoder.singleValueContainer().decode(Blob.self).data }
  }
}

/// Bytes that coders leave alone.
private struct Blob: PassthroughValue {
  let data: Data

  init(data: Data) { self.data = data }

  init?(passedThrough: Any) {
    if let data = passedThrough as? Data {
      self.data = data
    } else if let text = passedThrough as? String, let data = Data(base64Encoded: text) {
      self.data = data
    } else {
      return nil
    }
  }

  var passedThrough: Any { data }
}

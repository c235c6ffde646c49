import FirestoreModel

extension DocumentFields {
  /// Visits every value that indexes know: each field, and the fields of maps at any depth.
  ///
  /// A map comes before its fields. Elements of arrays are the visitor's to walk (`ValueView.forEachElement`).
  ///
  /// The path comes encoded and terminated (`SegmentEncoding.append(_: FieldPath)`). Path and view
  /// are lent for the call: keeping the path costs a copy, keeping the view is an error.
  package func forEachIndexedValue(
    _ body: (_ path: [UInt8], _ value: ValueView) throws -> Void
  ) rethrows {
    try bytes.withUnsafeBytes { raw in
      var path: [UInt8] = []
      path.reserveCapacity(64)
      try Self.walk(raw, field: 2, path: &path, body)
    }
  }

  private static func walk(
    _ message: UnsafeRawBufferPointer,
    field: Int,
    path: inout [UInt8],
    _ body: ([UInt8], ValueView) throws -> Void
  ) rethrows {
    let length = path.count
    var entries = EntryIterator(message, field: field)
    while let (key, value) = entries.next() {
      SegmentEncoding.appendFieldName(key, to: &path)
      path.append(SegmentEncoding.terminator)
      let view = ValueView(value)
      try body(path, view)
      path.removeLast()
      if case .map(let inner) = view.content {
        try walk(inner, field: 1, path: &path, body)
      }
      path.removeLast(path.count - length)
    }
  }
}

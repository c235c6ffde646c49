import FirestoreModel

extension DocumentFields {
  /// These fields with the masked paths taken from an update: present ones set, absent ones removed.
  ///
  /// Judge the result with `DocumentCodec.validate`: it can be too large or too deep.
  package func applying(_ update: DocumentFields, mask: [FieldPath]) -> DocumentFields {
    if mask.count > FieldsEditor.fewChanges {
      return DocumentFields(encoding: decoded().applying(update.decoded(), mask: mask))
    }
    var editor = FieldsEditor(self)
    for path in mask { editor.take(path, from: update) }
    return editor.finish()
  }

  /// These fields with transforms applied one after the other, and each one's result.
  ///
  /// Judge the fields with `DocumentCodec.validate`: they can be too large or too deep.
  package func applying(
    _ transforms: [FieldTransform],
    requestTime: Timestamp
  ) -> (fields: DocumentFields, results: [Value]) {
    if transforms.isEmpty { return (self, []) }
    if transforms.count > FieldsEditor.fewChanges {
      var map = decoded()
      let results = transforms.map { transform in
        let stored = map.value(at: transform.field)
        let (value, result) = transform.apply(to: stored, requestTime: requestTime)
        map.set(value, at: transform.field)
        return result
      }
      return (DocumentFields(encoding: map), results)
    }
    var editor = FieldsEditor(self)
    let results = transforms.map { transform in
      let stored = editor.value(at: transform.field)
      let (value, result) = transform.apply(to: stored, requestTime: requestTime)
      editor.set(value, at: transform.field)
      return result
    }
    return (editor.finish(), results)
  }

  /// Returns the parts of the document that the paths name, in its structure; missing fields are
  /// left out.
  package func projected(to paths: [FieldPath]) -> DocumentFields {
    let paths = FieldMask.reduced(paths)
    if paths.count > FieldsEditor.fewChanges {
      return DocumentFields(encoding: decoded().projected(to: paths))
    }
    var editor = FieldsEditor(.empty)
    for path in paths where hasValue(at: path) { editor.take(path, from: self) }
    return editor.finish()
  }

  /// Returns true if both hold the same values of the same types, in any order.
  package func isIdentical(to other: DocumentFields) -> Bool {
    // Stored spelling is canonical but for the order of entries.
    guard bytes.count == other.bytes.count else { return false }
    return bytes == other.bytes
      || bytes.withUnsafeBytes { left in
        other.bytes.withUnsafeBytes { Self.isIdentical(left, $0, field: 2) }
      }
  }

  /// Returns true if two messages of the same length hold the same entries.
  private static func isIdentical(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer,
    field: Int
  ) -> Bool {
    var firsts = EntryIterator(left, field: field)
    // Entries mostly come in the same order: look where the last one was found, then elsewhere.
    var seconds = EntryIterator(right, field: field)
    while let (key, value) = firsts.next() {
      var found = seconds.next()
      if found.map({ isSame($0.key, key) }) != true {
        seconds = EntryIterator(right, field: field)
        repeat { found = seconds.next() } while found.map { isSame($0.key, key) } == false
      }
      guard let found, isIdentical(ValueView(value), ValueView(found.value)) else { return false }
    }
    return true
  }

  private static func isIdentical(_ left: ValueView, _ right: ValueView) -> Bool {
    if isSame(left.message, right.message) { return true }
    guard left.message.count == right.message.count else { return false }
    switch (left.content, right.content) {
    case (.map(let first), .map(let second)): return isIdentical(first, second, field: 1)
    case (.array(let first), .array(let second)):
      var elements = ElementIterator(first)
      var others = ElementIterator(second)
      while let element = elements.next() {
        guard let other = others.next(), isIdentical(element, other) else { return false }
      }
      return others.next() == nil
    default: return false
    }
  }
}

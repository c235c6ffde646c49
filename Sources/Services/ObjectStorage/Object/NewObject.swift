/// An object that a client wants to store: its name, its attributes, and the client's statements
/// about its bytes.
package struct NewObject: Sendable, Hashable {
  /// The name in its bucket; a live object of that name is replaced.
  package var name: ObjectName
  /// The headers, times and pairs that are stored with the object.
  package var attributes: ObjectAttributes
  /// The size and hashes that the bytes of an upload must have, else `invalid`; copies and compositions ignore the hashes.
  package var expected: ExpectedContent
  /// Conditions on the object that has the name now, checked in the commit.
  package var preconditions: ObjectPreconditions
  /// The number of bytes that will probably come, where `expected` has no size: rules see it before
  /// the bytes have come.
  package var probableSize: Int64?
  /// The tag of content that is joined from a multipart upload's parts; see `ContentHashes.partsTag`.
  package var partsTag: String?

  /// An object to be.
  package init(
    _ name: ObjectName,
    attributes: ObjectAttributes = ObjectAttributes(),
    expected: ExpectedContent = ExpectedContent(),
    preconditions: ObjectPreconditions = ObjectPreconditions()
  ) {
    self.name = name
    self.attributes = attributes
    self.expected = expected
    self.preconditions = preconditions
  }
}

import BaseText
import DocumentCodec
import FirestoreModel

/// Random writes to a few documents.
package struct RandomWrites {
  package static let ids: [Text] = ["a", "b", "d", "e", "f", "g"]

  private let database: DatabaseID

  /// Writes to documents of that database.
  package init(database: DatabaseID) { self.database = database }

  /// One or two writes that carry the serial number, some of which the server refuses.
  package func next(serial: Int64, using random: inout some RandomNumberGenerator) -> [Write] {
    (0..<(Int.random(in: 0..<5, using: &random) == 0 ? 2 : 1)).map {
      write(serial: serial + $0, using: &random)
    }
  }

  private func write(serial: Int64, using random: inout some RandomNumberGenerator) -> Write {
    let collection: Text = Int.random(in: 0..<12, using: &random) == 0 ? "denied" : "c"
    let id = Self.ids.randomElement(using: &random) ?? "a"
    let name = DocumentName(database: database, path: ResourcePath([collection, id]))
    let value = Value.integer(Int64.random(in: 0..<10, using: &random))
    let number = MapValue.Entry(key: "n", value: value)
    switch Int.random(in: 0..<8, using: &random) {
    case 6:
      return Write(
        name: name,
        operation: .update(.empty, mask: []),
        transforms: [FieldTransform(field: FieldPath(["at"]), operation: .serverTimestamp)]
      )
    case 7:
      let gone = FieldTransform.Operation.removeAllFromArray([.integer(serial % 4)])
      return Write(
        name: name,
        operation: .update(DocumentFields(encoding: MapValue([number])), mask: [FieldPath(["n"])]),
        transforms: [FieldTransform(field: FieldPath(["list"]), operation: gone)]
      )
    case 0: return Write(name: name, operation: .delete)
    case 1:
      return Write(
        name: name,
        operation: .update(DocumentFields(encoding: MapValue([number])), mask: [FieldPath(["n"])]),
        precondition: .exists(true)
      )
    case 2:
      return Write(
        name: name,
        operation: .update(.empty, mask: []),
        transforms: [
          FieldTransform(field: FieldPath(["n"]), operation: .increment(.integer(1))),
          FieldTransform(
            field: FieldPath(["list"]),
            operation: .appendMissingElements([.integer(serial % 4)])
          ),
        ]
      )
    default:
      let serial = MapValue.Entry(key: "serial", value: .integer(serial))
      return Write(
        name: name,
        operation: .update(DocumentFields(encoding: MapValue([number, serial])), mask: nil)
      )
    }
  }
}

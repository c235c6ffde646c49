import BaseText
import DocumentCodec
import DocumentStore
import FirestoreModel
import Testing

@testable import Pipelines

/// Rows of stored documents whose fields stages change.
struct RowTests {
  private static let name = DocumentName(
    database: PipelineFixture.id,
    path: ResourcePath(["c", "d"])
  )

  private func fields(_ values: [Text: Value]) -> MapValue {
    MapValue(values.map { MapValue.Entry(key: $0.key, value: $0.value) })
  }

  private func document(_ values: [Text: Value]) -> Row {
    Row(
      DocumentRecord(
        name: Self.name,
        fields: DocumentFields(encoding: fields(values)),
        createTime: .zero,
        updateTime: .zero
      )
    )
  }

  @Test func `a field that is set hides that of the document, those below it too`() throws {
    var row = document(["a": .map(fields(["x": 1])), "b": 2])
    try row.set(.map(fields(["y": 3])), at: FieldPath(["a"]))
    #expect(row.value(at: FieldPath(["a", "x"])) == nil)
    #expect(row.value(at: FieldPath(["a", "y"])) == 3)
    #expect(row.value(at: FieldPath(["b"])) == 2)
    #expect(row.fields == fields(["a": .map(fields(["y": 3])), "b": 2]))
    #expect(row.name == Self.name)
    try row.set(4, at: FieldPath(["a", "z"]))
    #expect(row.fields == fields(["a": .map(fields(["y": 3, "z": 4])), "b": 2]))
    #expect(row.name == Self.name)
    row.remove(FieldPath(["a"]))
    #expect(row.fields == fields(["b": 2]))
  }

  @Test func `a document with a new field is no longer given as it is stored`() throws {
    var row = document(["b": 2])
    guard case .document = row.content else { Issue.record("not a document"); return }
    try row.set(nil, at: FieldPath(["c"]))
    guard case .document = row.content else { Issue.record("changed by nothing"); return }
    let size = row.size(limit: .max)
    try row.set(.string("text"), at: FieldPath(["c"]))
    guard case .fields(let all) = row.content else { Issue.record("without the field"); return }
    #expect(all == fields(["b": 2, "c": .string("text")]))
    #expect(row.size(limit: .max) > size)
    row.replaceFields(fields(["d": 5]))
    #expect(row.fields == fields(["d": 5]))
    #expect(row.value(at: FieldPath(["c"])) == nil)
  }
}

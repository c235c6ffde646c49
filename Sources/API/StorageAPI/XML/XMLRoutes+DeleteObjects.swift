import ObjectStorage
import ServiceModule
import StorageWire

// POST /{bucket}?delete: deletes the objects of a list.
//
//     Delete
//       Quiet                             true leaves out what went well
//       Object                            1 to 1,000
//         Key, VersionId, ETag            a version alone; a tag that the object has to have
//
// Each object is deleted by itself: a failure of one does not affect the others. An object that is
// not there counts as deleted.

extension XMLRoutes {
  /// Answers a POST to a bucket, whose parameters say what it means.
  func postToBucket(_ request: XMLRequest) async throws -> ServiceResponse {
    guard request.parameter("delete") != nil else { return try await postForm(request) }
    try request.requireParameters(["delete"])
    return try await deleteObjects(request)
  }

  private func deleteObjects(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, signature) = try await bucket(request)
    let body = try XMLReader.read(try await request.signedText(upTo: 2 << 20, signature))
    guard body.name == "Delete" else { throw XMLFailure.malformed }
    let isQuiet = body["Quiet"]?.text == "true"
    let objects = try body.all("Object").map(Deletion.init(element:))
    guard 1...1_000 ~= objects.count else { throw XMLFailure.malformed }
    let actor = request.base.context.actor
    for object in objects {
      actor?.note(subject: "DELETE /\(bucket.name.text.string)/\(object.key)")
    }
    let outcomes = await Self.outcomes(of: objects, in: bucket)
    let shown = outcomes.filter { !isQuiet || $0.name == "Error" }
    return .xml(XMLElement("DeleteResult", shown), namespace: Self.namespace)
  }

  /// Deletes objects, some at a time, so that their writes share syncs; the outcomes are in the objects' order.
  private static func outcomes(of objects: [Deletion], in bucket: Bucket) async -> [XMLElement] {
    let width = 32
    return await withTaskGroup(of: (Int, XMLElement).self) { group in
      var outcomes = [XMLElement?](repeating: nil, count: objects.count)
      for (index, object) in objects.enumerated() {
        if index >= width, let (done, outcome) = await group.next() { outcomes[done] = outcome }
        group.addTask { (index, await object.outcome(in: bucket)) }
      }
      for await (done, outcome) in group { outcomes[done] = outcome }
      return outcomes.compactMap(\.self)
    }
  }
}

/// An object of a list to be deleted.
private struct Deletion: Sendable {
  let key: String
  private let version: String?
  private let tag: String?

  init(element: XMLElement) throws(XMLFailure) {
    guard let key = element["Key"]?.text else { throw .malformed }
    let known: Set<String> = ["Key", "VersionId", "ETag"]
    // Another condition would not be kept to.
    if let unknown = element.children.first(where: { !known.contains($0.name) }) {
      throw .unsupported(String(unknown.name.prefix(100)))
    }
    self.key = key
    version = element["VersionId"]?.text
    tag = element["ETag"]?.text.filter { $0 != "\"" }
  }

  /// Deletes the object; the element says what came of it.
  func outcome(in bucket: Bucket) async -> XMLElement {
    do {
      try await delete(in: bucket)
      return XMLElement("Deleted", names)
    } catch {
      let failure = XMLFailure(error) ?? XMLFailure(500, "InternalError", "Internal error.")
      let texts = [XMLElement("Code", failure.code), XMLElement("Message", failure.message)]
      return XMLElement("Error", names + texts)
    }
  }

  private func delete(in bucket: Bucket) async throws {
    let name = try ObjectName(key)
    let generation = version.flatMap { Int64($0) }
    guard version == nil || generation != nil else {
      throw XMLFailure(400, "NoSuchVersion", "The version is not a number.")
    }
    var conditions = ObjectPreconditions()
    conditions.entityTags = tag.map { [$0] }
    do {
      try await bucket.delete(name, generation: generation, conditions)
    } catch let error as StorageError where error.code == .notFound {
      guard tag == nil else { throw StorageError(.conditionNotMet, error.message) }
    }
  }

  private var names: [XMLElement] {
    [XMLElement("Key", key)] + (version.map { [XMLElement("VersionId", $0)] } ?? [])
  }
}

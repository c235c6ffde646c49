import Access
import BaseJSON
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule

extension StorageCall {
  func listObjects() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    let page = try await bucket.list(try objectQuery())
    var members: [JSONValue.Member] = [
      JSONValue.Member("kind", .string("storage#objects"))
    ]
    if !page.objects.isEmpty {
      let items = page.objects.map { $0.json(origin: origin) }
      members.append(JSONValue.Member("items", .array(items)))
    }
    if !page.prefixes.isEmpty {
      let prefixes = JSONValue.array(page.prefixes.map(JSONValue.text))
      members.append(JSONValue.Member("prefixes", prefixes))
    }
    if let next = page.next {
      members.append(JSONValue.Member("nextPageToken", .string(next.text)))
    }
    return try answer(.object(members))
  }

  private func objectQuery() throws -> ObjectQuery {
    var wanted = ObjectQuery()
    wanted.prefix = Text(query["prefix"] ?? "")
    wanted.delimiter = query["delimiter"].flatMap { $0.isEmpty ? nil : Text($0) }
    wanted.start = Text(query["startOffset"] ?? "")
    wanted.end = query["endOffset"].flatMap { $0.isEmpty ? nil : Text($0) }
    wanted.includesTrailingDelimiter = try query.flag("includeTrailingDelimiter")
    if let glob = query["matchGlob"], !glob.isEmpty { wanted.glob = try ObjectGlob(glob) }
    if try query.flag("softDeleted") {
      wanted.versions = .softDeleted
    } else if try query.flag("versions") {
      wanted.versions = .all
    }
    wanted.limit = try pageSize()
    if let token = query["pageToken"], !token.isEmpty { wanted.token = try ObjectPageToken(token) }
    return wanted
  }

  func getObject() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    let object = try await bucket.object(
      try objectName(),
      generation: try query.integer("generation"),
      isSoftDeleted: try query.flag("softDeleted")
    )
    guard try !preconditions().isKnown(object) else {
      return ServiceResponse(
        status: .notModified,
        headers: [.eTag: EntityTags.header(object.entityTag)]
      )
    }
    return try answer(object)
  }

  /// The bytes of an object.
  func download() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    let object = try await bucket.object(
      try objectName(),
      generation: try query.integer("generation"),
      try query.preconditions()
    )
    let download = ObjectDownload(object, request.headers)
    return try await download.response(bucket, environment.threads)
  }

  /// The same, where memory has all that it takes.
  func downloadFromMemory() throws -> MemoryAnswer? {
    let access = environment.access
    guard query["generation"] == nil, let caller = try access.identifyInMemory(request.context),
      let found = try storage.objectInMemory(
        try objectName(),
        ofBucket: try BucketName(parameter("bucket")),
        try query.preconditions(),
        { try access.administratorPermit(for: caller, $0) }
      )
    else { return nil }
    return try ObjectDownload(found.object, request.headers).answer(of: found)
  }

  func changeObject(isReplacement: Bool) async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    let change = try AttributesJSON(try await json())
    return try answer(
      try await bucket.update(
        try objectName(),
        generation: try query.integer("generation"),
        try preconditions()
      ) { attributes in
        if isReplacement { attributes = attributes.cleared }
        change.apply(to: &attributes)
      }
    )
  }

  func deleteObject() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    try await bucket.delete(
      try objectName(),
      generation: try query.integer("generation"),
      try preconditions()
    )
    return ServiceResponse(status: .noContent)
  }

  // MARK: Copies

  func copy() async throws -> ServiceResponse { try answer(try await copied()) }

  func rewrite() async throws -> ServiceResponse {
    let object = try await copied()
    return try answer(
      .object([
        "kind": .string("storage#rewriteResponse"),
        "totalBytesRewritten": .integer(object.size), "objectSize": .integer(object.size),
        "done": .boolean(true), "resource": object.json(origin: origin),
      ])
    )
  }

  private func copied() async throws -> StoredObject {
    let source = try await readableBucket(parameter("bucket"))
    let target = try await administratorsBucket(parameter("targetBucket"))
    let said = try AttributesJSON(try await json())
    var copy = ObjectCopy(
      try objectName(),
      to: NewObject(
        try objectName("target"),
        attributes: said.attributes,
        preconditions: try preconditions()
      )
    )
    copy.generation = try query.integer("sourceGeneration")
    copy.sourcePreconditions = try query.preconditions("Source")
    copy.keepsAttributes = said.isEmpty
    if !said.isEmpty, copy.target.attributes.contentType == nil {
      let original = try await source.object(copy.source, generation: copy.generation)
      copy.target.attributes.contentType = original.attributes.contentType
    }
    return try await source.copy(copy, to: target)
  }

  func move() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    var copy = ObjectCopy(
      try objectName(),
      to: NewObject(try objectName("target"), preconditions: try preconditions())
    )
    copy.sourcePreconditions = try query.preconditions("Source")
    return try answer(try await bucket.move(copy))
  }

  func restore() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    guard let generation = try query.integer("generation") else {
      throw StorageError(.invalid, "Required parameter: generation")
    }
    return try answer(
      try await bucket.restore(
        try objectName(),
        generation: generation,
        try preconditions()
      )
    )
  }

  func compose() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    var reading = try JSONReading(try await json())
    reading.ignore(["kind"])
    let deletesSources = try reading.flag("deleteSourceObjects") ?? false
    let destination = reading.take("destination") ?? .object([JSONValue.Member]())
    guard case .array(let elements)? = reading.take("sourceObjects") else {
      throw StorageError(.invalid, "You must provide at least one source component.")
    }
    try reading.end()
    let new = NewObject(
      try objectName(),
      attributes: try AttributesJSON(destination).attributes,
      preconditions: try preconditions()
    )
    var sources = try elements.map(ComposeSource.init(json:))
    guard deletesSources else { return try answer(try await bucket.compose(sources, into: new)) }
    // An object that replaces a source in the meantime stays.
    let named = sources.map { $0.generation != nil }
    for index in sources.indices where !named[index] {
      sources[index].generation = try await bucket.object(sources[index].name).generation
    }
    let object = try await bucket.compose(sources, into: new)
    for (source, isNamed) in zip(sources, named) where source.name != new.name {
      try await delete(source, isNamed: isNamed, in: bucket)
    }
    return try answer(object)
  }

  /// Deletes a source of a composed object; a named source that is no longer live is deleted as an
  /// older generation.
  ///
  /// A bucket that keeps versions keeps a live source as one.
  private func delete(_ source: ComposeSource, isNamed: Bool, in bucket: Bucket) async throws {
    var live = ObjectPreconditions()
    live.generation = source.generation
    do {
      do {
        try await bucket.delete(source.name, live)
      } catch let error as StorageError
        where isNamed && (error.code == .conditionNotMet || error.code == .notFound)
      {
        try await bucket.delete(source.name, generation: source.generation)
      }
    } catch let error as StorageError
      where error.code == .notFound || error.code == .conditionNotMet
    {
      // It is named twice, or went by itself.
    }
  }
}

extension ComposeSource {
  fileprivate init(json: JSONValue) throws {
    var reading = try JSONReading(json)
    guard let name = try reading.text("name") else { throw JSONReading.invalid("name") }
    self.init(try ObjectName(name.string), generation: try reading.integer("generation"))
    if let value = reading.take("objectPreconditions"), value != .null {
      var conditions = try JSONReading(value)
      preconditions.generation = try conditions.integer("ifGenerationMatch")
      try conditions.end()
    }
    try reading.end()
  }
}

extension ObjectAttributes {
  /// The attributes that remain when a client replaces all that it can set: those that it cannot.
  fileprivate var cleared: ObjectAttributes {
    var attributes = ObjectAttributes()
    attributes.storageClass = storageClass
    attributes.customTime = customTime
    attributes.customTimeNanos = customTimeNanos
    attributes.isHeld = isHeld
    attributes.isHeldForEvent = isHeldForEvent
    return attributes
  }
}

import Access
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

// Forms that upload a file, as browsers send them; their right is a policy that a service account signed.

extension XMLRoutes {
  func postForm(_ request: XMLRequest) async throws -> ServiceResponse {
    let name = try request.bucket
    guard let project = try await storage.project(ofBucket: name) else { throw XMLFailure.noBucket }
    try request.base.headers.refuseConditions(isReading: false)
    let type = request.base.headers[.contentType] ?? ""
    guard MediaType(type)?.name == "multipart/form-data" else {
      throw try await storage.hasBucket(name) ? XMLFailure.notImplemented : .noBucket
    }
    var form = FormBody(try MultipartReader(contentType: type), request.base.body)
    let fields = try await form.fields()
    let given = fields.merging(["bucket": name.text.string]) { $1 }
    // A policy may leave the bucket out, which the address names.
    let checked = fields["bucket"] == nil ? given : fields
    guard fields["bucket"] ?? name.text.string == name.text.string else {
      throw PostPolicy.Problem.field("bucket")
    }
    let policy = try await threads.run { [signatures] in
      try signatures.policy(
        ofForm: checked,
        hasBucket: fields["bucket"] != nil,
        request.base.context
      )
    }
    try await requireReach(of: checked, to: project)
    let object = try await store(
      &form,
      checked,
      policy,
      try await bucket(name, of: project, request)
    )
    return try Self.answer(object, fields)
  }

  /// Throws where a form's policy is signed by a shared secret of another project.
  private func requireReach(of fields: [String: String], to project: Text) async throws {
    let credentials = Self.credentialFields.compactMap { fields[$0] }
    try await threads.run { [storage] in
      for credential in credentials {
        let account = String(credential.prefix { $0 != "/" })
        if let key = try storage.activeHMACKey(account), key.project != project {
          throw AccessControl.denied
        }
      }
    }
  }

  private static let credentialFields = [
    "x-goog-credential", "x-amz-credential", "googleaccessid", "awsaccesskeyid",
  ]

  private func store(
    _ form: inout FormBody,
    _ fields: [String: String],
    _ policy: PostPolicy,
    _ bucket: Bucket
  ) async throws -> StoredObject {
    let key = (fields["key"] ?? "").replacing("${filename}", with: form.fileName ?? "")
    if let list = fields["acl"], !AccessLists.arePrivate(list) {
      throw AccessLists.refusal("acl=\(list.prefix(40))")
    }
    var new = NewObject(try ObjectName(key))
    new.attributes.contentType = Text(
      fields["content-type"] ?? form.fileType ?? "binary/octet-stream"
    )
    new.attributes.cacheControl = fields["cache-control"].map { Text($0) }
    new.attributes.contentDisposition = fields["content-disposition"].map { Text($0) }
    new.attributes.contentEncoding = fields["content-encoding"].map { Text($0) }
    for (field, value) in fields where field.hasPrefix("x-goog-meta-") {
      new.attributes.metadata[Text(String(field.dropFirst(12)))] = Text(value)
    }
    let upload = try await bucket.beginUpload(new)
    do {
      var size: Int64 = 0
      while let part = try await form.content() {
        size += Int64(part.count)
        guard size <= policy.lengths.upperBound else { throw PostPolicy.Problem.tooLarge }
        try await upload.write(part)
      }
      guard size >= policy.lengths.lowerBound else { throw PostPolicy.Problem.tooSmall }
      return try await upload.finish()
    } catch {
      await upload.cancel()
      throw error
    }
  }

  private static func answer(
    _ object: StoredObject,
    _ fields: [String: String]
  ) throws -> ServiceResponse {
    var response = ServiceResponse(status: .noContent)
    if fields["success_action_status"] == "200" { response.status = .ok }
    if fields["success_action_status"] == "201" {
      response = .xml(
        XMLElement(
          "PostResponse",
          [
            XMLElement("Bucket", object.bucket.text.string),
            XMLElement("Key", object.name.text.string),
            XMLElement("ETag", "\"\(object.contentTag)\""),
          ]
        ),
        status: .created
      )
    }
    if let target = fields["success_action_redirect"], HTTPField.isValidValue(target) {
      let mark = target.contains("?") ? "&" : "?"
      let query = PercentEncoding.form([
        ("bucket", object.bucket.text.string), ("key", object.name.text.string),
        ("etag", "\"\(object.contentTag)\""),
      ])
      response = ServiceResponse(status: .seeOther, headers: [.location: target + mark + query])
    }
    response.describe(object)
    return response
  }
}

extension StorageSignatures {
  /// The policy of a form; blocks.
  ///
  /// A bucket that the form does not name is the address's, and is checked if the policy has it.
  func policy(
    ofForm fields: [String: String],
    hasBucket: Bool,
    _ context: CallContext
  ) throws -> PostPolicy {
    do {
      return try policy(of: fields, context)
    } catch PostPolicy.Problem.field("bucket") where !hasBucket {
      return try policy(of: fields.filter { $0.key != "bucket" }, context)
    }
  }
}

/// The body of a form: fields, then a file.
struct FormBody {
  private var events: MultipartEvents
  /// The file's name in the form.
  private(set) var fileName: String?
  private(set) var fileType: String?

  private static let fieldLimit = 64 << 10
  private static let fieldsLimit = 256 << 10

  init(_ reader: MultipartReader, _ body: ServiceBody) { events = MultipartEvents(reader, body) }

  /// The fields before the file, by names in lower case; the file begins behind them.
  mutating func fields() async throws -> [String: String] {
    var fields: [String: String] = [:]
    var total = 0
    while case .part(let headers)? = try await events.next() {
      guard let disposition = headers["content-disposition"].flatMap(MediaType.init),
        disposition.name == "form-data", let name = disposition.parameters["name"]?.lowercased()
      else { throw MultipartReader.Problem.malformedHead }
      if name == "file" {
        fileName = disposition.parameters["filename"]
        fileType = headers["content-type"]
        return fields
      }
      let value = try await value()
      total += name.utf8.count + value.utf8.count
      guard total <= Self.fieldsLimit else { throw MultipartReader.Problem.headTooLarge }
      guard fields.updateValue(value, forKey: name) == nil else {
        throw XMLFailure.invalid("The field \(name) is set more than once.")
      }
    }
    throw XMLFailure(400, "InvalidArgument", "Invalid argument.", details: "The form has no file.")
  }

  private mutating func value() async throws -> String {
    var bytes: [UInt8] = []
    while let part = try await content() {
      bytes += part
      guard bytes.count <= Self.fieldLimit else { throw MultipartReader.Problem.headTooLarge }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw MultipartReader.Problem.malformedHead
    }
    return text
  }

  /// The next bytes of the field or file; nil at its end.
  mutating func content() async throws -> [UInt8]? {
    switch try await events.next() {
    case .content(let bytes)?: return bytes
    case .partEnd?: return nil
    case .part?, .end?, nil: throw MultipartReader.Problem.truncated
    }
  }
}

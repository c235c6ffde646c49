import BaseText

/// The role of an object of the buckets of parts in a multipart upload that is not completed.
///
/// Such buckets are no project's. Their objects count against the bounds of unfinished uploads, of the project that
/// their metadata name, from the write that stores them to the write that deletes them.
package enum UploadPart: Sendable, Hashable {
  /// Counts as an upload, and with its bytes.
  case upload
  /// Counts with its bytes.
  case part

  /// The owner of the buckets of parts: a name that no project can have.
  package static let project: Text = "(parts)"

  /// The name of the bucket of parts, which no other project's may have.
  package static let bucket = "brasa-multipart-uploads"

  /// Returns true if a project may have a bucket of that name.
  static func mayHave(_ name: BucketName, project: Text) -> Bool {
    project == Self.project || name.text.string != bucket
  }

  /// The name of the pair of an object's metadata that says so.
  private var key: Text {
    switch self {
    case .upload: "brasa-upload-of"
    case .part: "brasa-part-of"
    }
  }

  /// Has an object count for a project.
  package func describe(_ attributes: inout ObjectAttributes, of project: Text) {
    attributes.metadata[key] = project
  }

  /// Removes the statements about a part from metadata.
  package static func strip(_ attributes: inout ObjectAttributes) {
    for part in [upload, part] { attributes.metadata[part.key] = nil }
  }

  /// Returns the role of an object by its metadata, and the project for which it counts; nil where
  /// they name none.
  static func read(_ attributes: ObjectAttributes) -> (part: UploadPart, project: Text)? {
    for part in [upload, part] {
      if let project = attributes.metadata[part.key] { return (part, project) }
    }
    return nil
  }
}

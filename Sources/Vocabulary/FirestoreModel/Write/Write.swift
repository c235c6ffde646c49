/// One write of a commit.
///
/// Preconditions are judged, then the operation applies, then the transforms.
package struct Write: Sendable, Hashable {
  /// The effect of a write on its document.
  package enum Operation: Sendable, Hashable {
    /// Replaces the document (mask nil) or the masked paths: present ones are set, absent ones
    /// deleted. The mask is canonical and free of conflicts.
    case update(DocumentFields, mask: [FieldPath]?)
    /// Deletes the document; one that does not exist is no error without a precondition.
    case delete
    /// Only judges the precondition (`Write.verify`, field 5); the document joins the read set.
    case verify
    /// The legacy `Write.transform`: only the transforms; creates a missing document.
    case transform
  }

  /// The document to write.
  package let name: DocumentName
  /// The change to the document's fields, or none.
  package let operation: Operation
  /// Changes that the server computes, applied in this order after the operation.
  package let transforms: [FieldTransform]
  /// A condition on the stored document; nil applies the write unconditionally.
  package let precondition: Precondition?

  /// A write whose parts are valid one by one; `WriteLimits` judges them together.
  package init(
    name: DocumentName,
    operation: Operation,
    transforms: [FieldTransform] = [],
    precondition: Precondition? = nil
  ) {
    self.name = name
    self.operation = operation
    self.transforms = transforms
    self.precondition = precondition
  }
}

/// The condition that the stored document must meet for a write to apply.
package enum Precondition: Sendable, Hashable {
  case exists(Bool)
  /// The document exists with exactly this update time (microseconds).
  case updateTime(CommitVersion)
}

/// A change computed by the server from the stored value of one field.
package struct FieldTransform: Sendable, Hashable {
  /// Rules: fact sheet C.4.
  package enum Operation: Sendable, Hashable {
    case serverTimestamp
    case increment(Value)
    case maximum(Value)
    case minimum(Value)
    case appendMissingElements([Value])
    case removeAllFromArray([Value])
  }

  /// The field to change, at any depth.
  package let field: FieldPath
  /// The computation and its operand.
  package let operation: Operation

  /// A transform of that field.
  package init(field: FieldPath, operation: Operation) {
    self.field = field
    self.operation = operation
  }
}

/// The result of a write for its author.
package struct WriteResult: Sendable, Hashable {
  /// Nil for deletes and verifies; a no-op keeps the stored time.
  package let updateTime: CommitVersion?
  /// One value a transform, in their order; `null` for the array transforms.
  package let transformResults: [Value]

  /// The result of one write.
  package init(updateTime: CommitVersion?, transformResults: [Value] = []) {
    self.updateTime = updateTime
    self.transformResults = transformResults
  }
}

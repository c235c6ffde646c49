import BaseText
import FirestoreModel

/// An argument of a stage or function: a constant, or something to evaluate.
///
/// An array or map without anything to evaluate is one constant.
package indirect enum PipelineOperand: Sendable, Hashable {
  /// One field of a map.
  package struct Entry: Sendable, Hashable {
    /// The field's name, or an alias.
    package let key: Text
    /// The field's value.
    package let value: PipelineOperand

    /// A field of that name.
    package init(key: Text, value: PipelineOperand) {
      self.key = key
      self.value = value
    }
  }

  case constant(Value)
  /// A reference that is relative to the database's documents, such as `/cities`; empty for collection groups.
  case path(String)
  case array([PipelineOperand])
  /// Sorted by key, each key once.
  case map([Entry])
  case field(FieldPath)
  case variable(String)
  case call(PipelineCall)
  case pipeline([PipelineStage])
}

extension FieldPath {
  /// The pseudo-field `__create_time__` of a pipeline's rows.
  package static let createTime = FieldPath(["__create_time__"])
  /// The pseudo-field `__update_time__` of a pipeline's rows.
  package static let updateTime = FieldPath(["__update_time__"])
}

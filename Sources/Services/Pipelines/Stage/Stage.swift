import BaseText
import FirestoreModel

/// The documents or rows that a pipeline begins with.
enum InputStage: Sendable {
  case collection(ResourcePath)
  case collectionGroup(Text)
  case database
  case documents([ResourcePath])
  case literals([Expression])
  /// Below the row that the sub-pipeline runs for.
  case subcollection([Text])
}

/// A stage whose arguments are checked.
indirect enum Stage: Sendable {
  case filter(Expression)
  case select([Assignment])
  case addFields([Assignment])
  case removeFields([FieldPath])
  case aggregate([AccumulatorCall], groups: [Assignment])
  case distinct([Assignment])
  case sort([SortOrder])
  case offset(Int)
  case limit(Int)
  case findNearest(NearestStage)
  case replaceWith(Expression, ReplaceMode)
  case sample(SampleSize)
  case union(StagePlan)
  case unnest(Expression, alias: FieldPath, index: FieldPath?)
  case define([Variable])
  case update([Assignment])
  case delete

  /// The change that `replace_with` makes.
  enum ReplaceMode: String, Sendable {
    case full = "full_replace"
    case overwriting = "merge_overwrite_existing"
    case keeping = "merge_keep_existing"
  }

  /// The rows that `sample` takes.
  enum SampleSize: Sendable {
    case rows(Int)
    case fraction(Double)
  }

  /// A variable of `let`.
  struct Variable: Sendable {
    let name: String
    let expression: Expression
  }

  /// True if the stage makes one row of each, in the order in which they come.
  var mapsRows: Bool {
    switch self {
    case .select, .addFields, .removeFields, .replaceWith, .define: true
    case .filter, .aggregate, .distinct, .sort, .offset, .limit, .findNearest, .sample, .union,
      .unnest, .update, .delete:
      false
    }
  }

  /// True if the stage writes documents.
  var isWriting: Bool {
    switch self {
    case .update, .delete: true
    default: false
    }
  }
}

/// One criterion of `sort`.
struct SortOrder: Sendable {
  let expression: Expression
  let isDescending: Bool
}

/// The arguments of `find_nearest`.
struct NearestStage: Sendable {
  /// The ways to measure a distance.
  enum Measure: String, Sendable {
    case euclidean
    case cosine
    case dotProduct = "dot_product"
  }

  let field: Expression
  let vector: [Double]
  let measure: Measure
  let limit: Int?
  let distanceField: FieldPath?
}

/// A pipeline that is checked: an input and the stages behind it.
package final class StagePlan: Sendable {
  let input: InputStage
  let stages: [Stage]
  /// The index that the request names for the input; nil where the planner chooses.
  let index: ForcedIndex?

  init(input: InputStage, stages: [Stage], index: ForcedIndex? = nil) {
    self.input = input
    self.stages = stages
    self.index = index
  }

  /// True if the pipeline ends with a stage that writes documents.
  package var isWriting: Bool { stages.last?.isWriting ?? false }

  /// True if the pipeline begins with rows that no rule can allow or deny.
  package var beginsWithLiterals: Bool {
    if case .literals = input { true } else { false }
  }

  /// True if an expression runs a pipeline of its own.
  var hasSubPipelines: Bool {
    if case .literals(let rows) = input, rows.contains(where: { !$0.allSubPipelines.isEmpty }) {
      return true
    }
    return stages.contains { stage in
      if case .union(let other) = stage { return other.hasSubPipelines }
      return stage.expressions.contains { !$0.allSubPipelines.isEmpty }
    }
  }

  /// True if the pipeline ends with `delete`.
  package var isDeleting: Bool {
    if case .delete? = stages.last { true } else { false }
  }

  /// The same pipeline for one of its documents alone.
  ///
  /// It has no stages that choose among rows: `sort`, `offset` and `limit`. Nil where a stage computes the names of rows, which
  /// then need not be those of the documents that they were made of.
  package func plan(forDocument path: ResourcePath) -> StagePlan? {
    var kept: [Stage] = []
    for stage in stages {
      switch stage {
      case .sort, .offset, .limit: continue
      case .select(let assignments), .addFields(let assignments), .update(let assignments):
        guard !assignments.contains(where: \.computesName) else { return nil }
        kept.append(stage)
      default: kept.append(stage)
      }
    }
    return StagePlan(input: .documents([path]), stages: kept)
  }
}

extension Assignment {
  /// True where the field `__name__` gets another value than that of the document.
  fileprivate var computesName: Bool {
    guard path.isDocumentName else { return false }
    if case .field(let source) = expression { return !source.isDocumentName }
    return true
  }
}

import BaseStatus
import BaseText
import FirestoreModel

/// The index that production would ask for, and the words in which it does.
package struct MissingIndex: Sendable, Hashable {
  /// The kind of index that is missing.
  package enum Kind: Sendable, Hashable {
    case composite(IndexDefinition)
    /// A single-field index that is turned off, or a collection group's that is not turned on.
    case singleField(collectionID: Text, field: FieldPath, SingleFieldIndex)
  }

  /// The index to create, or to wait for.
  package let kind: Kind
  /// The index exists but is not complete: its id.
  package let buildingID: String?
  /// The query has inequalities on several fields.
  package let hasSeveralInequalities: Bool

  /// FAILED_PRECONDITION with Firestore's text and the console's link.
  package func error(
    in database: DatabaseID,
    console: String = IndexLink.firebaseConsole
  ) -> ServiceError {
    ServiceError(.failedPrecondition, message(in: database, console: console))
  }

  /// Firestore's text.
  package func message(
    in database: DatabaseID,
    console: String = IndexLink.firebaseConsole
  ) -> String {
    switch kind {
    case .singleField(let collectionID, let field, let index):
      let link = IndexLink(console: console).exemption(database, collectionID, field, index)
      return "The query requires a \(Self.name(index)) index for collection \(collectionID) and "
        + "field \(field.canonicalString). You can create it here: \(link)"
    case .composite(let definition):
      let link = IndexLink(console: console).composite(database, definition, id: buildingID ?? "_")
      if buildingID != nil {
        return "The query requires an index. That index is currently building and cannot be used "
          + "yet. See its status here: \(link)"
      }
      return "The query requires an index. You can create it here: \(link)"
        + (hasSeveralInequalities ? Self.severalInequalities : "")
    }
  }

  /// The entry of `firestore.indexes.json` that would declare it.
  package var entry: String {
    switch kind {
    case .composite(let definition): IndexDefinitionsFile.entry(definition)
    case .singleField(let collectionID, let field, let index):
      IndexDefinitionsFile.entry(collectionID: collectionID, field: field, adding: index)
    }
  }

  private static let severalInequalities =
    " .\nThe query contains range and inequality filters on multiple fields, please refer to the "
    + "documentation for index selection best practices: "
    + "https://cloud.google.com/firestore/docs/query-data/multiple-range-fields."

  private static func name(_ index: SingleFieldIndex) -> String {
    let scope = index.scope == .collection ? "COLLECTION" : "COLLECTION_GROUP"
    switch index.mode {
    case .ascending: return "\(scope)_ASC"
    case .descending: return "\(scope)_DESC"
    case .contains: return "\(scope)_CONTAINS"
    }
  }
}

extension Planner {
  /// The index that would serve a disjunct which none serves.
  func missingIndex(for conditions: DisjunctConditions) -> MissingIndex? {
    guard let collectionID else { return nil }
    let fields = suggestedFields(conditions)
    if let single = missingSingle(fields, collectionID) { return single }
    let named = fields + [IndexedField(.documentName, IndexFieldMode(nameDirection))]
    let definition = try? IndexDefinition(
      collectionID: collectionID,
      scope: indexScope,
      fields: named
    )
    guard let definition else { return nil }
    let building = declaredIndexes.first {
      $0.definition == definition && $0.state == .creating
    }
    return missing(
      .composite(definition),
      building?.id,
      severalInequalities: conditions.ranges.count > 1
    )
  }

  /// The single-field index that a query over one field lacks; nil where it has that index and
  /// needs more.
  private func missingSingle(_ fields: [IndexedField], _ collectionID: Text) -> MissingIndex? {
    guard let only = fields.first, fields.count == 1 else { return nil }
    let index = SingleFieldIndex(indexScope, only.mode)
    let state = indexes.state(of: index, field: only.path, collectionID: collectionID)
    if state?.isUsable(at: version) == true { return nil }
    return missing(.singleField(collectionID: collectionID, field: only.path, index), nil)
  }

  private func missing(
    _ kind: MissingIndex.Kind,
    _ id: String?,
    severalInequalities: Bool = false
  ) -> MissingIndex {
    MissingIndex(kind: kind, buildingID: id, hasSeveralInequalities: severalInequalities)
  }

  /// Equalities by path, then the array field, then the orders.
  private func suggestedFields(_ conditions: DisjunctConditions) -> [IndexedField] {
    let open = openOrders(conditions)
    var fields = conditions.equalities.map { IndexedField($0.field, .ascending) }
    if let element = conditions.elements.first {
      fields.append(IndexedField(element.field, .contains))
    }
    for order in open {
      fields.append(IndexedField(order.field, IndexFieldMode(order.direction)))
    }
    return fields
  }
}

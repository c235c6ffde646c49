/// An index as `explain` names it.
package struct IndexUsage: Sendable, Hashable {
  /// `Collection`, `Collection group` or, below a document, `Includes ancestors`.
  package let queryScope: String
  /// `(a ASC, __name__ ASC)`, and `(a ASC, __name__ ASC, v VECTOR<3>)` under a search.
  package let properties: String
}

extension QueryPlan {
  /// The indexes that the plan reads, each once, in the order of the disjuncts.
  ///
  /// Scans by name count as indexes over `__name__`, as Firestore reports them.
  package var indexesUsed: [IndexUsage] {
    var result: [IndexUsage] = []
    for usage in disjuncts.flatMap({ usages($0) }) where !result.contains(usage) {
      result.append(usage)
    }
    return result
  }

  /// True if the plan reads documents that it then has to filter or sort, for want of an index.
  package var sortsInMemory: Bool {
    disjuncts.contains { if case .sort = $0.source { true } else { false } }
  }

  /// Returns true if all documents are found by an index, and none by another one.
  package func reads(only index: DeclaredIndex) -> Bool {
    disjuncts.allSatisfy { disjunct in
      guard case .index(let legs) = disjunct.source else { return false }
      return legs.allSatisfy { $0.declared == index.number }
    }
  }

  /// The plan in words, one alternative after the other; for logs and tests.
  package var text: String {
    disjuncts.isEmpty ? "nothing" : disjuncts.map { text($0) }.joined(separator: " | ")
  }

  private func usages(_ disjunct: DisjunctPlan) -> [IndexUsage] {
    switch disjunct.source {
    case .index(let legs):
      return legs.map {
        IndexUsage(queryScope: scopeName($0.scope), properties: properties($0, disjunct))
      }
    case .sort(let base): return usages(base)
    case .documents, .lookup:
      return [IndexUsage(queryScope: "Collection", properties: nameProperties(disjunct))]
    case .collections(let set):
      let scope = set.parent.isRoot ? "Collection group" : "Includes ancestors"
      return [IndexUsage(queryScope: scope, properties: nameProperties(disjunct))]
    }
  }

  private func text(_ disjunct: DisjunctPlan) -> String {
    let names = usages(disjunct).map(\.properties).joined(separator: " & ")
    let looks = disjunct.checksDocuments ? ", check documents" : ""
    switch disjunct.source {
    case .index(let legs): return (legs.count > 1 ? "merge " : "index ") + names + looks
    case .documents: return "scan " + names + looks
    case .collections: return "scan collections " + names + looks
    case .lookup: return "lookup"
    case .sort(let base): return "sort [" + text(base) + "]"
    }
  }

  private func scopeName(_ scope: IndexScope) -> String {
    scope == .collection ? "Collection" : "Collection group"
  }

  private func nameProperties(_ disjunct: DisjunctPlan) -> String {
    listed(["__name__ \(disjunct.isReversed ? "DESC" : "ASC")"])
  }

  /// Parts in parentheses, with the vector that the plan's search looks for.
  private func listed(_ parts: [String]) -> String {
    let searched = vector.map { ["\($0.path.canonicalString) VECTOR<\($0.dimension)>"] } ?? []
    return "(\((parts + searched).joined(separator: ", ")))"
  }

  /// The index as it is read: backwards, every direction is the other one.
  private func properties(_ leg: IndexLeg, _ disjunct: DisjunctPlan) -> String {
    let fields = leg.fields + [IndexedField(.documentName, IndexFieldMode(leg.nameDirection))]
    let parts = fields.map { field in
      let name = field.path.canonicalString
      if field.mode == .contains { return "\(name) CONTAINS" }
      let isAscending = (field.mode == .ascending) != disjunct.isReversed
      return "\(name) \(isAscending ? "ASC" : "DESC")"
    }
    return listed(parts)
  }
}

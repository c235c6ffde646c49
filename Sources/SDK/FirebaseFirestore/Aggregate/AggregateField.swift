import FirestoreModel
import Foundation

/// A value to compute over the results of a query.
public final class AggregateField: NSObject, Sendable {
  let aggregation: Aggregation.Operator

  private init(_ aggregation: Aggregation.Operator) { self.aggregation = aggregation }

  /// The number of documents.
  public class func count() -> AggregateField { AggregateField(.count(upTo: nil)) }

  /// The sum of a field's numbers.
  public class func sum(_ field: String) -> AggregateField { sum(.dotted(field)) }

  /// The sum of a field's numbers.
  public class func sum(_ fieldPath: FieldPath) -> AggregateField {
    AggregateField(.sum(fieldPath.names))
  }

  /// The mean of a field's numbers; null where there is none.
  public class func average(_ field: String) -> AggregateField { average(.dotted(field)) }

  /// The mean of a field's numbers; null where there is none.
  public class func average(_ fieldPath: FieldPath) -> AggregateField {
    AggregateField(.average(fieldPath.names))
  }

  /// True for the same aggregation of the same field.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? AggregateField)?.aggregation == aggregation
  }

  /// A hash of the aggregation and its field.
  public override var hash: Int { aggregation.hashValue }

  /// The aggregation as text, such as `sum(price)`.
  public override var description: String {
    switch aggregation {
    case .count: "count()"
    case .sum(let field): "sum(\(field.canonicalString))"
    case .average(let field): "average(\(field.canonicalString))"
    }
  }
}

/// The place in which aggregations are computed.
public enum AggregateSource: UInt, Sendable {
  /// At the server.
  case server = 0
}

import Foundation

/// A vector of numbers, for searches of nearest neighbours.
public final class VectorValue: NSObject, Sendable, Codable {
  /// The numbers.
  public let array: [Double]

  /// A vector.
  public init(_ array: [Double]) { self.array = array }

  /// True for the same numbers in the same order.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? VectorValue)?.array == array
  }

  /// A hash of the numbers.
  public override var hash: Int { array.hashValue }

  /// All numbers, for logs.
  public override var description: String { "<FIRVectorValue: \(array)>" }
}

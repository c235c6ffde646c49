import FirestoreModel

extension NearestStage {
  /// The distance of a vector of the same dimension; nil where it has none.
  func distance(to other: [Double]) -> Double? {
    switch measure {
    case .dotProduct: return VectorFunctions.sum(vector, other)
    case .euclidean:
      return zip(vector, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
    case .cosine:
      let lengths =
        VectorFunctions.sum(vector, vector).squareRoot()
        * VectorFunctions.sum(other, other).squareRoot()
      return lengths == 0 ? nil : 1 - VectorFunctions.sum(vector, other) / lengths
    }
  }
}

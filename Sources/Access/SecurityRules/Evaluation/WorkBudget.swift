/// The steps of work that evaluations may still take, beside the nodes that they count.
///
/// A node may work on a megabyte that a client wrote. So the work of an operator is counted: a step
/// is some nanoseconds, such as a state of a regular expression that takes a character, an element
/// that is compared, or sixteen bytes. One operation has a budget, and all operations of a request
/// share another.
struct WorkBudget {
  private let ofOperation: Int
  private var ofRequest: Int
  /// The work left to the operation; negative once it is used up.
  private(set) var left: Int

  /// The budgets of every operation and of all together.
  init(
    ofOperation: Int = RulesLimits.steps,
    ofRequest: Int = RulesLimits.stepsOfRequest
  ) {
    self.ofOperation = ofOperation
    self.ofRequest = ofRequest
    left = min(ofOperation, ofRequest)
  }

  /// Starts the next operation of the request.
  mutating func beginOperation() { left = min(ofOperation, ofRequest) }

  /// Takes steps; false once more were taken than there are.
  mutating func spend(_ steps: Int) -> Bool {
    left -= steps
    ofRequest -= steps
    return left >= 0
  }
}

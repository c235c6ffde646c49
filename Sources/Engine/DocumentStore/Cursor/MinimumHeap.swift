/// A binary heap whose least element, by a given order, is at hand.
struct MinimumHeap<Element> {
  private(set) var elements: [Element] = []
  private let isBefore: (Element, Element) -> Bool

  /// An empty heap in that order.
  init(isBefore: @escaping (Element, Element) -> Bool) { self.isBefore = isBefore }

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  /// The least element; nil when there is none.
  var minimum: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(elements[child], elements[parent]) else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the least element out.
  mutating func removeMinimum() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let least = elements.first else { return last }
    elements[0] = last
    sink()
    return least
  }

  /// Puts an element in the least one's place.
  mutating func replaceMinimum(with element: Element) {
    elements[0] = element
    sink()
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count {
        if isBefore(elements[child], elements[least]) { least = child }
      }
      if least == parent { return }
      elements.swapAt(parent, least)
      parent = least
    }
  }
}

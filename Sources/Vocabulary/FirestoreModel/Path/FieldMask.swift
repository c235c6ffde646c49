import BaseStatus

/// Sets of field paths as masks name them.
package enum FieldMask {
  /// Reads an update mask: canonical and sorted; a path that comes twice or lies inside another of
  /// the mask adds nothing to it.
  package static func update(parsing texts: [String]) throws(ServiceError) -> [FieldPath] {
    let paths = try parse(texts)
    if paths.contains(where: \.isDocumentName) {
      throw .invalidArgument("Invalid reserved name in field path __name__")
    }
    return reduced(paths)
  }

  /// Reads a mask of the fields to return; `__name__`, which is always returned, is left out.
  package static func read(parsing texts: [String]) throws(ServiceError) -> [FieldPath] {
    reduced(try parse(texts))
  }

  /// Sorted, without `__name__` and without paths that lie inside another.
  package static func reduced(_ paths: [FieldPath]) -> [FieldPath] {
    var result: [FieldPath] = []
    for path in paths.sorted() where !path.isDocumentName {
      if let last = result.last, last.isPrefix(of: path) { continue }
      result.append(path)
    }
    return result
  }

  private static func parse(_ texts: [String]) throws(ServiceError) -> [FieldPath] {
    var paths: Set<FieldPath> = []
    for text in texts { paths.insert(try FieldPath(parsing: text)) }
    return paths.sorted()
  }
}

import FirestoreModel

extension FunctionRow {
  static let texts: [FunctionRow] = [
    FunctionRow("char_length", "s").gives(2, "é😀").gives(0, ""),
    FunctionRow("byte_length", "sy").gives(6, "é😀").gives(2, .bytes([1, 2])),
    FunctionRow("length", "syamv").gives(2, "é😀").gives(1, [1]).gives(1, map("a", 1)),
    FunctionRow("concat", "sya sya", .examples).gives("ab", "a", "b").gives([1, 2], [1], [2])
      .gives(.bytes([1, 2]), .bytes([1]), .bytes([2])).fails("a", [1]).gives(.null, "a", nil)
      .fails(1, 2).gives(.null, .null, "a"),
    FunctionRow("string_concat", "s").gives("abc", "a", "b", "c").gives("", ""),
    FunctionRow("starts_with", "s s").gives(true, "abc", "ab").gives(true, "abc", "")
      .fails("a", .bytes([97])),
    FunctionRow("ends_with", "s s").gives(true, "abc", "bc").gives(false, "c", "bc"),
    FunctionRow("string_contains", "s s").gives(true, "abcd", "bc").gives(false, "abcd", "cb"),
    FunctionRow("like", "s s").gives(true, "abc", "a%").gives(true, "abc", "_b_")
      .gives(false, "abc", "b").gives(true, "50%", "50\\%").fails("a", "\\"),
    FunctionRow("regex_contains", "s s").gives(true, "abc", "b").fails("a", "("),
    FunctionRow("regex_match", "s s").gives(false, "abc", "b").gives(true, "abc", "a.c"),
    FunctionRow("regex_find", "s s").gives("b1", "ab1b2", "b[0-9]").gives(.null, "a", "b"),
    FunctionRow("regex_find_all", "s s").gives(["1", "2"], "b1b2", "b([0-9])").gives([], "a", "b"),
    FunctionRow("to_lower", "sy").gives("é", "É").gives(.bytes([97]), .bytes([65])),
    FunctionRow("to_upper", "sy").gives("É", "é").gives(.bytes([65]), .bytes([97])),
    FunctionRow("reverse", "sya").gives("cba", "abc").gives([2, 1], [1, 2]),
    FunctionRow("string_reverse", "sy").gives("ba", "ab").gives(.bytes([2, 1]), .bytes([1, 2])),
    FunctionRow("substring", "sy i i").gives("bc", "abc", 1, 5).gives("c", "abc", -1, 9)
      .gives("", "abc", 9, 1).gives("a", "abc", -9, 1).fails("abc", 0, -1)
      .gives("", "abc", .integer(.min), 0),
    FunctionRow("trim", "s s").gives("b", "aaba", "a").gives("", "aaa", "a").gives("", "", "a"),
    FunctionRow("ltrim", "s s").gives("ba", "aba", "a").gives("", "aa", "a"),
    FunctionRow("rtrim", "s s").gives("ab", "aba", "a").gives("", "aa", "a"),
    FunctionRow("string_repeat", "sy i").gives("aa", "a", 2).gives("", "a", 0).fails("a", -1)
      .fails("ab", .integer(1 << 20)).gives("", "", .integer(.max)),
    FunctionRow("split", "s s").gives(["a", "b"], "a,b", ",").gives(["a", "b"], "ab", "")
      .gives([""], "", ","),
    FunctionRow("join", "an syn", .examples).gives("a,b", ["a", .null, "b"], ",")
      .gives("a,-", ["a", .null], ",", "-").gives(.null, .null, ",").fails(["a", 1], ",").gives(
        .null,
        nil,
        ","
      ),
    FunctionRow("string_index_of", "s s").gives(1, "ébc", "b").gives(-1, "a", "b").gives(
      0,
      "a",
      ""
    ),
    FunctionRow("string_replace_all", "s s s").gives("xbx", "aba", "a", "x").gives(
      "a",
      "a",
      "",
      "x"
    ),
    FunctionRow("string_replace_one", "s s s").gives("xba", "aba", "a", "x").gives(
      "a",
      "a",
      "",
      "x"
    ),
  ]

  static let arrays: [FunctionRow] = [
    FunctionRow("array", "*", .examples).gives([1, .null], 1, nil).gives([]).gives([.null], .null),
    FunctionRow("array_concat", "a a").gives([1, 2], [1], [2]).gives([], [], []),
    FunctionRow("array_contains", "an *", .examples).gives(true, [1], 1.0)
      .gives(true, [.null], .null).gives(false, [1], nil).gives(.null, nil, 1),
    FunctionRow("array_contains_all", "a a").gives(true, [1, 2], []).gives(false, [1], [1, 2]),
    FunctionRow("array_contains_any", "a a").gives(true, [1, 2], [3, 2]).gives(false, [1], []),
    FunctionRow("array_length", "a").gives(0, []).gives(2, [1, .null]),
    FunctionRow("array_reverse", "a").gives([2, 1], [1, 2]).gives([], []),
    FunctionRow("array_index_of", "an * s", .examples).gives(0, [1, 1], 1, "first")
      .gives(1, [1, 1], 1, "last").gives(-1, [1], 2, "first").gives(.null, nil, 1, "first")
      .fails([1], 1, "middle").gives(.null, .null, 1, "first"),
    FunctionRow("array_index_of_all", "an *", .examples).gives([0, 2], [1, 2, 1], 1)
      .gives(.null, .null, 1).gives(.null, nil, 1),
    FunctionRow("maximum_n", "a i").gives([3, 2], [1, .null, 2, 3], 2).fails([1], -1),
    FunctionRow("minimum_n", "a i").gives([1, 2], [3, .null, 2, 1], 2).gives([], [1], 0).fails(
      [1],
      -1
    ),
    FunctionRow("sum", "a").gives(3, [1, 2, "x"]).gives(.null, []).gives(1.5, [1, 0.5])
      .fails([.integer(.max), 1]).gives(decimal("0.30"), [decimal("0.10"), "x", decimal("0.20")])
      .gives(decimal("2.6"), [1, decimal("0.1"), 1.5]),
    FunctionRow("array_get", "a i").gives(2, [1, 2], -1).gives(nil, [1], 1).gives(nil, [1], -2),
    FunctionRow("array_first", "a").gives(1, [1, 2]).gives(nil, []),
    FunctionRow("array_last", "a").gives(2, [1, 2]).gives(nil, []),
    FunctionRow("array_first_n", "a i").gives([1], [1, 2], 1).fails([1], -1),
    FunctionRow("array_last_n", "a i").gives([2], [1, 2], 1).gives([1], [1], .integer(.max)),
    FunctionRow("array_slice", "a i i").gives([2], [1, 2, 3], 1, 1).gives([3], [1, 2, 3], -1, 9)
      .fails([1], 0, -1),
  ]

  static let maps: [FunctionRow] = [
    FunctionRow("map", "s *", .examples).gives(map("a", 1), "a", 1).fails("a").fails(1, 1)
      .gives(map("a", .null), "a", .null).gives(.map(MapValue()), "a", nil),
    FunctionRow("map_get", "* s", .examples).gives(1, map("a.b", 1), "a.b").gives(nil, 1, "a")
      .gives(nil, .null, "a").gives(nil, nil, "a"),
    FunctionRow("map_set", "* s *", .examples).gives(map("a", 2), map("a", 1), "a", 2)
      .gives(map("b", 1), map("a", 1, ("b", 1)), "a", nil).gives(nil, 1, "a", 2)
      .gives(map("a", .null), map("a", 1), "a", .null),
    FunctionRow("map_remove", "m s").gives(map("b", 1), map("a", 1, ("b", 1)), "a").gives(
      map("a", 1),
      map("a", 1),
      "b"
    ),
    FunctionRow("map_merge", "m m").gives(map("a", 2), map("a", 1), map("a", 2))
      .gives(map("a", 1, ("b", 2)), map("a", 1), map("b", 2)),
    FunctionRow("map_keys", "m").gives(["a"], map("a", 1)).gives([], .map(MapValue())),
    FunctionRow("map_values", "m").gives([1], map("a", 1)).gives([], .map(MapValue())),
    FunctionRow("map_entries", "m").gives([map("k", "a", ("v", 1))], map("a", 1)).gives(
      [],
      .map(MapValue())
    ),
    FunctionRow("current_document", "", .examples), FunctionRow("current_context", "", .examples),
    FunctionRow("storage_size", "*", .examples).gives(8, 1).gives(.null, nil).gives(4, "abc")
      .gives(1, .null),
    FunctionRow("document_id", "r").gives("d", ref("c/d")).gives("f", ref("c/d/e/f")),
    FunctionRow("collection_id", "r").gives("e", ref("c/d/e/f")).gives("c", ref("c/d")),
    FunctionRow("parent", "r").gives(ref("c/d"), ref("c/d/e/f")).gives(ref(""), ref("c/d"))
      .gives(.null, ref("")),
    FunctionRow("reference_slice", "r i i").gives(ref("e/f"), ref("c/d/e/f"), 1, 1)
      .gives(ref("c/d"), ref("c/d/e/f"), 0, 1).fails(ref("c/d"), 0, -1),
    FunctionRow("cosine_distance", "v v").gives(1.0, .vector([1, 0]), .vector([0, 1]))
      .fails(.vector([0, 0]), .vector([0, 1])).fails(.vector([1]), .vector([1, 2])),
    FunctionRow("dot_product", "v v").gives(11.0, .vector([1, 2]), .vector([3, 4]))
      .gives(0.0, .vector([]), .vector([])),
    FunctionRow("euclidean_distance", "v v").gives(5.0, .vector([0, 0]), .vector([3, 4]))
      .fails(.vector([1]), .vector([1, 2])),
    FunctionRow("manhattan_distance", "v v").gives(7.0, .vector([0, 0]), .vector([3, 4]))
      .fails(.vector([1]), .vector([1, 2])),
    FunctionRow("vector_length", "v").gives(2, .vector([1, 2])).gives(0, .vector([])),
  ]

  static let all = logic + comparisons + arithmetic + times + texts + arrays + maps
}

import FirestoreModel

extension FunctionRow {
  private static let nan = Value.double(.nan)
  private static let infinity = Value.double(.infinity)

  static let logic: [FunctionRow] = [
    FunctionRow("and", "bn bn", .examples).gives(true, true, true).gives(false, .null, false)
      .gives(.null, true, nil).gives(false, 1, false).fails(1, true),
    FunctionRow("or", "bn bn", .examples).gives(true, .null, true).gives(false, false, false)
      .gives(.null, nil, false).gives(true, 1, true).fails(1, false),
    FunctionRow("nor", "bn bn", .examples).gives(true, false, false).gives(false, true, .null)
      .gives(.null, nil, false),
    FunctionRow("xor", "b b").gives(true, true, false).gives(false, true, true),
    FunctionRow("not", "b").gives(false, true),
    FunctionRow("conditional", "bn * *", .examples).gives(1, true, 1, 2).gives(2, .null, 1, 2)
      .gives(2, nil, 1, 2).gives(nil, true, nil, 2),
    FunctionRow("switch_on", "bn * bn *", .examples).gives(2, false, 1, true, 2)
      .gives(3, false, 1, 3).fails(false, 1, .null, 2)
      .gives(3, nil, 1, 3),
    FunctionRow("if_null", "* *", .examples).gives(1, 1, 2).gives(2, .null, 2).gives(2, nil, 2)
      .gives(nil, .null, nil).gives(.null, nil, .null),
    FunctionRow("coalesce", "*", .examples).gives(2, .null, nil, 2).gives(nil, nil),
    FunctionRow("if_absent", "* *", .examples).gives(.null, .null, 2).gives(2, nil, 2),
    FunctionRow("if_error", "* *", .examples).gives(1, 1, 2).gives(nil, nil, 2)
      .gives(.null, .null, 2),
    FunctionRow("is_error", "*", .examples).gives(false, 1).gives(false, nil).gives(false, .null),
    FunctionRow("exists", "*", .examples).gives(true, .null).gives(false, nil),
    FunctionRow("is_absent", "*", .examples).gives(false, .null).gives(true, nil),
    FunctionRow("error", "", .examples).fails("words").fails(nil).fails(1),
    FunctionRow("is_null", "*", .examples).gives(true, .null).gives(false, nil).gives(false, 1),
    FunctionRow("is_not_null", "*", .examples).gives(false, .null).gives(false, nil)
      .gives(true, 1),
    FunctionRow("is_nan", "*").gives(true, nan).gives(false, 1),
    FunctionRow("is_not_nan", "*").gives(false, nan).gives(true, 1),
  ]

  static let comparisons: [FunctionRow] = [
    FunctionRow("equal", "* *", .examples).gives(true, 1, 1.0).gives(true, .null, .null)
      .gives(false, .null, nil).gives(true, nan, nan).gives(false, 1, "1").gives(true, [1], [1.0])
      .gives(true, 0.0, -0.0),
    FunctionRow("not_equal", "* *", .examples).gives(false, 1, 1.0).gives(true, nil, 1)
      .gives(false, nan, nan).gives(true, .null, nil),
    FunctionRow("less_than", "* *", .examples).gives(true, 1, 1.5).gives(false, 1, "2")
      .gives(false, nan, 1).gives(false, .null, 1).gives(false, nil, 1).gives(true, "a", "b"),
    FunctionRow("less_than_or_equal", "* *", .examples).gives(true, 1, 1.0)
      .gives(true, .null, .null).gives(false, nil, .null).gives(false, .null, 1),
    FunctionRow("greater_than", "* *", .examples).gives(true, 2, 1.5).gives(false, "2", 1)
      .gives(false, 1, nan).gives(false, 1, .null).gives(false, nil, 1),
    FunctionRow("greater_than_or_equal", "* *", .examples).gives(true, 1, 1.0)
      .gives(true, .null, .null).gives(false, 1, nil),
    FunctionRow("cmp", "* *", .examples).gives(-1, 1, 2).gives(0, .null, nil).gives(1, "a", 1)
      .gives(-1, nan, -1e308),
    FunctionRow("equal_any", "* an", .examples).gives(true, 1, [2, 1.0])
      .gives(true, .null, [.null]).gives(false, nil, [.null]).gives(.null, 1, .null)
      .gives(false, 1, []),
    FunctionRow("not_equal_any", "* an", .examples).gives(false, 1, [2, 1.0])
      .gives(true, nil, [.null]).gives(.null, 1, nil).gives(.null, 1, .null),
    FunctionRow("maximum", "an", .examples).gives(3, [1, 3, .null]).gives(.null, [.null])
      .gives(.null, .null).gives("a", 1, "a", nil).gives(.null, nil, .null),
    FunctionRow("minimum", "an", .examples).gives(1, [1, 3, .null]).gives(.null, []).gives(
      1,
      1,
      "a"
    ).gives(1, nil, 1).gives(1, .null, 1),
    FunctionRow("type", "*", .examples).gives("int64", 1).gives("float64", 1.0).gives(.null, nil)
      .gives("null", .null).gives("vector", .vector([1]))
      .gives("int32", .bson(.int32(1))).gives("object_id", BSONSamples.id)
      .gives("decimal128", BSONSamples.tenth).gives("min_key", .bson(.minKey))
      .gives("max_key", .bson(.maxKey)),
    FunctionRow("is_type", "* sn", .examples).gives(true, 1, "number").gives(true, 1, "int64")
      .gives(false, 1, "string").gives(.null, nil, "string").fails(1, "nonsense").gives(
        true,
        .null,
        "null"
      )
      .gives(true, BSONSamples.tenth, "number").gives(false, BSONSamples.tenth, "float64")
      .gives(true, .bson(.int32(1)), "int32"),
  ]

  static let arithmetic: [FunctionRow] = [
    FunctionRow("add", "id id").gives(3, 1, 2).gives(3.5, 1, 2.5).gives(6, 1, 2, 3)
      .fails(.integer(.max), 1).gives(3, .bson(.int32(1)), 2)
      .gives(decimal("0.30"), decimal("0.10"), decimal("0.20"))
      .gives(decimal("3.1"), decimal("0.1"), 1, .bson(.int32(2)))
      .gives(decimal("0.60"), decimal("0.10"), 0.5).gives(decimal("NaN"), decimal("1"), nan)
      .fails(decimal("1"), "1"),
    FunctionRow("subtract", "id id").gives(-1, 1, 2).fails(.integer(.min), 1)
      .gives(decimal("-9223372036854775809"), .integer(.min), decimal("1")),
    FunctionRow("multiply", "id id").gives(6, 2, 3).gives(infinity, 1e308, 10)
      .fails(.integer(.max), 2).gives(decimal("14.70"), decimal("4.90"), 3)
      .gives(decimal("Infinity"), decimal("1E+6144"), 10),
    FunctionRow("divide", "id id").gives(-2, -5, 2).gives(2.5, 5, 2.0).fails(1, 0)
      .gives(infinity, 1.0, 0.0).gives(nan, 0.0, 0.0).fails(.integer(.min), -1)
      .gives(decimal("0.3333333333333333333333333333333333"), decimal("1"), 3)
      .gives(decimal("-Infinity"), decimal("-1"), 0).gives(decimal("NaN"), decimal("0"), 0),
    FunctionRow("mod", "id id").gives(-1, -5, 2).gives(1.5, 5.5, 2).fails(1, 0).gives(nan, 1, 0.0)
      .gives(0, .integer(.min), -1).gives(decimal("-0.1"), decimal("-5.1"), 2.5)
      .gives(decimal("NaN"), 1, decimal("0")),
    FunctionRow("abs", "id").gives(3, -3).gives(0.5, -0.5).fails(.integer(.min))
      .gives(decimal("0.10"), decimal("-0.10")),
    FunctionRow("ceil", "id").gives(-0.0, -0.4).gives(3, 3)
      .gives(decimal("-0"), decimal("-0.4")).gives(decimal("1"), decimal("0.1")),
    FunctionRow("floor", "id").gives(-1.0, -0.4).gives(3, 3)
      .gives(decimal("-1"), decimal("-0.4")).gives(decimal("1E+3"), decimal("1E+3")),
    FunctionRow("round", "id i").gives(-3.0, -2.5, 0).gives(1.6, 1.55, 1).gives(200, 150, -2)
      .gives(3, 3, 5).fails(.integer(.max), -1).gives(nan, nan, 1)
      .gives(decimal("-3"), decimal("-2.5"), 0).gives(decimal("1.6"), decimal("1.55"), 1)
      .gives(decimal("2E+2"), decimal("150"), -2).gives(
        decimal("1.5"),
        decimal("1.5"),
        .integer(.max)
      )
      .gives(decimal("0E+6111"), decimal("9E+6144"), .integer(.min))
      .fails(decimal("9E+6144"), -6_145),
    FunctionRow("trunc", "id i").gives(-2.0, -2.5, 0).gives(100, 199, -2).gives(1.5, 1.55, 1)
      .gives(decimal("-2"), decimal("-2.5"), 0).gives(decimal("Infinity"), decimal("Infinity"), -1),
    FunctionRow("pow", "id id").gives(8.0, 2, 3).gives(1.0, nan, 0).gives(1.0, 1, nan)
      .fails(-1, 0.5).fails(0, -1),
    FunctionRow("sqrt", "id").gives(3.0, 9).fails(-1).fails(.double(-.infinity)).gives(nan, nan)
      .fails(decimal("4")),
    FunctionRow("exp", "id").gives(1.0, 0).gives(0.0, -1000).fails(1000).gives(infinity, infinity),
    FunctionRow("ln", "id").gives(0.0, 1).fails(0).gives(nan, .double(-.infinity)),
    FunctionRow("log10", "id").gives(2.0, 100).fails(-1).gives(infinity, infinity),
    FunctionRow("log", "id id").gives(3.0, 8, 2).fails(8, 1).fails(8, 0).gives(nan, 8, infinity),
    FunctionRow("rand", "", .examples),
    FunctionRow("bit_and", "iy iy").gives(4, 6, 12).gives(0, 0, .integer(.min))
      .gives(.bytes([0x04, 0]), .bytes([0x06, 0xF0]), .bytes([0x0C, 0x0F]))
      .gives(.bytes([]), .bytes([]), .bytes([])).fails(.bytes([1]), .bytes([1, 2]))
      .fails(.bytes([1]), 1),
    FunctionRow("bit_or", "iy iy").gives(14, 6, 12).gives(-1, .integer(.min), .integer(.max))
      .gives(.bytes([0x0E, 0xFF]), .bytes([0x06, 0xF0]), .bytes([0x0C, 0x0F]))
      .fails(1, .bytes([1])),
    FunctionRow("bit_xor", "iy iy").gives(10, 6, 12).gives(0, .integer(.min), .integer(.min))
      .gives(.bytes([0x0A, 0xFF]), .bytes([0x06, 0xF0]), .bytes([0x0C, 0x0F]))
      .fails(.bytes([1]), .bytes([])),
    FunctionRow("bit_not", "iy").gives(-7, 6).gives(.integer(.max), .integer(.min))
      .gives(.bytes([0xF0, 0xFF]), .bytes([0x0F, 0])).gives(.bytes([]), .bytes([])),
    FunctionRow("bit_left_shift", "iy i").gives(8, 1, 3).gives(0, 1, 64).fails(1, -1)
      .gives(.bytes([0x02, 0x00]), .bytes([0x81, 0x00]), 1)
      .gives(.bytes([0xF0, 0x00]), .bytes([0x01, 0xFF]), 12)
      .gives(.bytes([0, 0]), .bytes([1, 2]), .integer(.max)).fails(.bytes([1]), -1),
    FunctionRow("bit_right_shift", "iy i").gives(1, 8, 3).gives(0, 1, 64).fails(1, -1)
      .gives(.bytes([0x40, 0x80]), .bytes([0x81, 0x01]), 1)
      .gives(.bytes([0x00, 0x0F]), .bytes([0xF1, 0x02]), 12)
      .gives(.bytes([0, 0]), .bytes([1, 2]), 16).fails(.bytes([1]), -1),
  ]

  private static let moment = time(735_998_460_654_321)
  private static let angeles: Value = "America/Los_Angeles"

  static let times: [FunctionRow] = [
    FunctionRow("current_timestamp", "", .examples).gives(time(1_000_000)),
    FunctionRow("unix_micros_to_timestamp", "i").gives(time(-1), -1).fails(.integer(.max)),
    FunctionRow("unix_millis_to_timestamp", "i").gives(time(1_000), 1).fails(.integer(.max)),
    FunctionRow("unix_seconds_to_timestamp", "i").gives(time(1_000_000), 1)
      .fails(253_402_300_800),
    FunctionRow("timestamp_to_unix_micros", "t").gives(-1, time(-1))
      .gives(-62_135_596_800_000_000, time(-62_135_596_800_000_000)),
    FunctionRow("timestamp_to_unix_millis", "t").gives(-1, time(-1))
      .gives(253_402_300_799_999, time(253_402_300_799_999_999)),
    FunctionRow("timestamp_to_unix_seconds", "t").gives(-1, time(-1)).gives(0, time(999_999)),
    FunctionRow("timestamp_add", "t s i").gives(time(60_000_000), time(0), "minute", 1)
      .fails(time(0), "week", 1).fails(time(0), "day", .integer(.max)),
    FunctionRow("timestamp_subtract", "t s i").gives(time(-86_400_000_000), time(0), "day", 1)
      .fails(time(0), "day", .integer(.min)),
    FunctionRow("timestamp_diff", "t t s").gives(-1, time(0), time(1_999_999), "second")
      .fails(time(0), time(0), "month"),
    FunctionRow("timestamp_trunc", "t s s")
      .gives(time(735_980_400_000_000), moment, "day", angeles)
      .gives(time(735_807_600_000_000), moment, "isoweek", angeles)
      .gives(time(733_651_200_000_000), moment, "quarter", angeles)
      .fails(moment, "eon", angeles).fails(moment, "day", "Mars/Olympus"),
    FunctionRow("timestamp_extract", "t s s").gives(17, moment, "week(sunday)", angeles)
      .gives(17, moment, "isoweek", angeles).gives(2, moment, "quarter", angeles)
      .gives(118, moment, "dayofyear", angeles).gives(654_321, moment, "microsecond", angeles)
      .gives(4, moment, "dayofweek", "UTC").gives(18, moment, "hour", "GMT+06:32:43")
      .fails(moment, "eon", "UTC"),
  ]
}

import BaseJSON
import Testing

@testable import ForeignExports

/// Plain dumps of PostgreSQL, read statement by statement and row by row.
@Suite struct DumpReaderTests {
  /// Hands a text out in parts of a few bytes.
  private static func file(_ name: String, _ text: String, part: Int = 7) -> SupabaseExport.File {
    SupabaseExport.File(name: name) {
      var rest = Array(text.utf8)[...]
      return { _ in
        defer { rest = rest.dropFirst(part) }
        return Array(rest.prefix(part))
      }
    }
  }

  private static func documents(_ files: SupabaseExport.File...) throws -> [String] {
    let export = try SupabaseExport(files, schemas: ["public"])
    let documents = export.makeDocuments(into: ForeignDatabase(project: "p", database: "d"))
    var found: [String] = []
    while let line = try documents.next() {
      let json = try JSONParser.parse(line)
      let name = json["name"]?.string?.split(separator: "/").suffix(2).joined(separator: "/") ?? ""
      found.append("\(name) \(json["fields"]?.compact ?? "")")
    }
    return found
  }

  @Test func `a semicolon in quotes, comments and dollar quotes ends no statement`() throws {
    let dump = """
      \\restrict abc
      -- a comment; with 'quotes
      CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $x$ SELECT 'a;'; $$ ; $x$; SET a = ';';
      /* ; /* ' */ ; */ CREATE TABLE public.t (id integer NOT NULL, "a;b" text DEFAULT 'x;');
      INSERT INTO public.t VALUES (1, 'it''s; so'), (2, E'a\\nb'), (-3, NULL);
      """
    #expect(
      try Self.documents(Self.file("a.sql", dump)) == [
        #"t/row-000000001 {"id":{"integerValue":"1"},"a;b":{"stringValue":"it's; so"}}"#,
        #"t/row-000000002 {"id":{"integerValue":"2"},"a;b":{"stringValue":"a\nb"}}"#,
        #"t/row-000000003 {"id":{"integerValue":"-3"},"a;b":{"nullValue":null}}"#,
      ]
    )
  }

  @Test func `keys behind the rows make ids and references`() throws {
    let dump = """
      CREATE TABLE public.lines (o uuid, n smallint, c character varying(20));
      COPY public.lines (o, n, c) FROM stdin;
      a/b\t1\tx\\ty\\\\
      a:b\t2\t\\N
      \\.

      ALTER TABLE ONLY public.lines ADD CONSTRAINT k PRIMARY KEY (o, n);
      ALTER TABLE ONLY public.lines
          ADD CONSTRAINT f FOREIGN KEY (o) REFERENCES public.orders(id) ON DELETE CASCADE;
      """
    #expect(
      try Self.documents(Self.file("a.sql", dump)) == [
        #"lines/a%2Fb:1 {"o":{"referenceValue":"projects/p/databases/d/documents/orders/a%2Fb"},"#
          + #""n":{"integerValue":"1"},"c":{"stringValue":"x\ty\\"}}"#,
        #"lines/a%3Ab:2 {"o":{"referenceValue":"projects/p/databases/d/documents/orders/a:b"},"#
          + #""n":{"integerValue":"2"},"c":{"nullValue":null}}"#,
      ]
    )
  }

  @Test(arguments: [
    ("CREATE TABLE t (a int", "incomplete"), ("COPY t (a) FROM stdin;\n1\n", "incomplete"),
    ("COPY t (a, b) FROM stdin;\n1\n\\.\n", "damaged"), ("PGDMP\u{1}", "pg_restore"),
    ("SELECT 'a", "incomplete"),
  ])
  func `a damaged dump is refused`(dump: String, reason: String) {
    let failure = #expect(throws: ExportFailure.self) {
      try Self.documents(Self.file("a.sql", dump))
    }
    #expect(failure?.description.contains(reason) == true)
  }

  @Test func `columns of CSV get the types that all values fit`() throws {
    let csv =
      "\u{FEFF}id,n,zip,price,at,tags,empty\r\n7,1,01310,1.5,2026-01-31 10:00:00+00,\"[1,\"\"a\"\"]\",\r\n8,,20000,2,,\"[[2]]\",\"\"\r\n"
    let found = try Self.documents(Self.file("things.csv", csv))
    #expect(
      found == [
        #"things/7 {"id":{"integerValue":"7"},"n":{"integerValue":"1"},"zip":{"stringValue":"01310"},"#
          + #""price":{"doubleValue":1.5},"at":{"timestampValue":"2026-01-31T10:00:00Z"},"#
          + #""tags":{"arrayValue":{"values":[{"integerValue":"1"},{"stringValue":"a"}]}},"#
          + #""empty":{"nullValue":null}}"#,
        #"things/8 {"id":{"integerValue":"8"},"n":{"nullValue":null},"zip":{"stringValue":"20000"},"#
          + #""price":{"doubleValue":2.0},"at":{"nullValue":null},"#
          + #""tags":{"arrayValue":{"values":[{"mapValue":{"fields":{"values":{"arrayValue":{"values":["#
          + #"{"integerValue":"2"}]}}}}}]}},"empty":{"stringValue":""}}"#,
      ]
    )
  }

  @Test(arguments: [
    ("2026-01-31 10:00:00", "2026-01-31T10:00:00Z"),
    ("2026-01-31 10:00:00.123456+05:30", "2026-01-31T10:00:00.123456+05:30"),
    ("2026-01-31T10:00:00-03", "2026-01-31T10:00:00-03:00"), ("infinity", nil),
    ("2026-01-31", nil), ("2026-01-31 10:00:00 BC", nil),
  ])
  func `times are read with and without a zone`(text: String, timestamp: String?) {
    #expect(FieldValue.timestamp(text)?["timestampValue"]?.string == timestamp)
  }

  @Test func `milliseconds are those of the zone`() {
    #expect(ForeignTime.milliseconds("1970-01-01 00:00:00Z") == 0)
    #expect(ForeignTime.milliseconds("2023-11-14 22:13:20.5+00") == 1_700_000_000_500)
    #expect(ForeignTime.milliseconds("2023-11-14 19:13:20-03") == 1_700_000_000_000)
  }

  @Test func `arrays and numerics keep their values`() {
    var changes: [String] = []
    let list = PostgresType(["integer", "[]"]).value("{1,NULL,{2,3}}") { changes.append($0) }
    #expect(list["arrayValue"]?["values"]?.elements?.count == 3)
    let long = PostgresType(["numeric"]).value("0.12345678901234567") { changes.append($0) }
    #expect(long["doubleValue"] != nil && changes.count == 2)
    let texts = PostgresType(["text", "[]"]).value("{\"a,\\\"b\",c}") { changes.append($0) }
    #expect(texts["arrayValue"]?["values"]?.elements?.first?["stringValue"]?.string == "a,\"b")
    #expect(PostgresType(["bytea"]).value("\\x00ff") { _ in }["bytesValue"]?.string == "AP8=")
  }
}

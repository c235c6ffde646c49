import ArgumentParser
import ForeignExports
import Foundation

/// The command `brasa import supabase`.
struct ImportSupabaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "supabase",
    abstract: "Read a Supabase project's dump: pg_dump, CSV or JSON.",
    discussion: """
      Rows of the schema public become documents of a collection with the table's name. The primary key is the id, foreign keys \
      become references, and columns keep their types. Rows of auth.users become accounts, with their passwords (bcrypt) and \
      the identities of Google, Apple, GitHub and others that Firebase has.

      The source is a plain dump (pg_dump without -F), or a folder of .sql, .csv and .json files. A CSV file has a header and \
      is named for its table: products.csv, auth.users.csv. users.json is a list of users. CSV columns without a definition \
      in an .sql file get the type that all their values fit.

      Row-level security is not read: write security rules by hand. The bytes of Storage are not in a dump: copy them with \
      brasa storage cp -r. The command exits with 1 if anything was dropped.

      Examples:
        pg_dump "$DATABASE_URL" --schema public --schema auth > dump.sql
        brasa import supabase dump.sql --project shop
      """
  )

  @Argument(help: "The dump, or a folder of files.", completion: .file())
  var source: String
  @Option(help: "A schema with tables to read as collections; repeatable (default: public).")
  var schema: [String] = []
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let label = try database.label()
    var reading = ImportRun(label: label, source: source, data: data, manifest: nil)
    try reading.readSupabase(source, schemas: schema.isEmpty ? ["public"] : Set(schema))
    try reading.finish()
  }
}

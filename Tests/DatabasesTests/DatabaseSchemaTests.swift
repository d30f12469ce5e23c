import Databases
import Foundation
import GRDB
import OperatingSystem
import TestSupport
import Testing

struct DatabaseSchemaTests {
    /// Tables with steps v1 to a last one.
    private static func schema(_ last: Int) -> DatabaseSchema {
        var migrator = DatabaseMigrator()
        for step in 1...last {
            migrator.registerMigration("v\(step)") {
                try $0.execute(sql: "CREATE TABLE t\(step) (x INTEGER)")
            }
        }
        return DatabaseSchema(migrator)
    }

    private static func version(_ queue: DatabaseQueue) throws -> Int? {
        try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }

    @Test func `a database says which version of the program did its last step`() throws {
        let queue = try DatabaseQueue()
        try Self.schema(1).apply(to: queue, "a.db")
        #expect(try Self.version(queue) == ProgramVersion.current.number)
    }

    @Test func `a start without a new step does not write`() throws {
        let queue = try DatabaseQueue()
        try Self.schema(2).apply(to: queue, "a.db")
        let before = queue.writeWithoutTransaction { $0.totalChangesCount }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 7") }
        try Self.schema(2).apply(to: queue, "a.db")
        #expect(try Self.version(queue) == 7)
        #expect(queue.writeWithoutTransaction { $0.totalChangesCount } == before)
    }

    @Test func `a newer database is refused, and named with the version that made it`() throws {
        let queue = try DatabaseQueue()
        try Self.schema(3).apply(to: queue, "a.db")
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 4005006") }
        let error = #expect(throws: NewerDatabase.self) { try Self.schema(1).apply(to: queue, "/s/a.db") }
        #expect(
            error
                == NewerDatabase(
                    path: "/s/a.db",
                    steps: ["v2", "v3"],
                    known: "v1",
                    program: ProgramVersion(4, 5, 6)
                )
        )
        #expect(
            error?.description
                == """
                /s/a.db was written by trilateral 4.5.6, which is newer (step v2, v3); this is trilateral \
                \(ProgramVersion.current), which knows the steps up to v1: install 4.5.6 or a later version, or restore a \
                backup that this version made (trilateral restore)
                """
        )
    }

    @Test(arguments: [0, -1, Int(Int32.max), ProgramVersion.current.number])
    func `a newer database that does not name a newer version is refused as well`(number: Int) throws {
        let queue = try DatabaseQueue()
        try Self.schema(2).apply(to: queue, "a.db")
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = \(number)") }
        let error = #expect(throws: NewerDatabase.self) { try Self.schema(1).apply(to: queue, "a.db") }
        #expect(error?.description.contains("written by a newer version of trilateral (step v2)") == true)
    }

    @Test func `versions are compared by their numbers`() {
        #expect(ProgramVersion(0, 10, 0) > ProgramVersion(0, 9, 99))
        #expect(ProgramVersion(number: 1_002_003) == ProgramVersion(1, 2, 3))
        #expect(ProgramVersion(number: 0) == nil && ProgramVersion(number: 1_000_000_000) == nil)
    }
}

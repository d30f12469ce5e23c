import Foundation
import JSON
import Rules
import Testing

/// The rules with which Tests/Interop/rules.py tries the page are rules as the engine writes them.
struct RulePageRowsTests {
    private static func rows() throws -> [JSONValue] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Interop/rules/rules.json")
        let table = try JSONValue(parsing: Array(Data(contentsOf: file)))
        return try #require(table["rows"]?.array).compactMap { $0["rule"] }
    }

    @Test func `each rule of the page's table is written as it was read`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 50)
        for row in rows {
            let read = try RuleReader().read(row, as: .rule)
            #expect(read.warnings.isEmpty, "\(row)")
            #expect(JSONValue.object(read.rule.json) == row, "\(JSONValue.object(read.rule.json))")
        }
    }

    @Test func `the table has each trigger, condition and action of the contract`() throws {
        let rows = try Self.rows()
        func members(_ name: String) -> [JSONValue] { rows.flatMap { $0[name]?.array ?? [] } }
        let triggers = Set(members("when").compactMap { $0["on"]?.string })
        #expect(
            triggers == [
                "state", "schedule", "cron", "once", "enter", "exit", "near", "far", "lifecycle", "device",
            ]
        )
        for name in ["clause", "during", "level", "zone", "near"] {
            #expect(members("if").contains { $0[name] != nil }, "\(name)")
        }
        for name in ["set", "action", "command", "notify", "ceiling", "publish"] {
            #expect(members("then").contains { $0[name] != nil }, "\(name)")
        }
    }
}

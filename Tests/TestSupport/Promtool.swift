import Foundation

/// The checker of Prometheus, for what a daemon exports and for queries of it.
package enum Promtool {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Where contrib/setup puts it alone, unless the system has it.
    private static var program: String? {
        let own = root.appending(path: ".build/prometheus/promtool").path
        return ChildProcess.find("promtool") ?? (access(own, X_OK) == 0 ? own : nil)
    }

    /// True if these tests should run: also in CI when the program is missing, so that they fail there.
    package static var isExpected: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true" || program != nil
    }

    package struct Missing: Error, CustomStringConvertible {
        package let description = "promtool is missing; contrib/setup --tests installs it"
    }

    /// What `promtool check metrics` finds wrong with the text of `/metrics`; `nil` if nothing.
    package static func problem(withMetrics text: String) async throws -> String? {
        try await problem("check metrics <", with: text)
    }

    /// What is wrong with PromQL expressions; `nil` if nothing.
    package static func problem(withQueries queries: [String]) async throws -> String? {
        let rules = queries.enumerated().map { ["record": "query:number\($0.offset)", "expr": $0.element] }
        let file: [String: Any] = ["groups": [["name": "queries", "rules": rules] as [String: Any]]]
        // JSON is YAML, too.
        let text = String(decoding: try JSONSerialization.data(withJSONObject: file), as: UTF8.self)
        return try await problem("check rules", with: text)
    }

    private static func problem(_ command: String, with text: String) async throws -> String? {
        guard let program else { throw Missing() }
        return try await withTemporaryFolder { folder in
            try folder.write(text, to: "input")
            let child = try ChildProcess(
                "/bin/sh",
                ["-c", "exec \"$0\" \(command) \"$1\"", program, folder.path("input")],
                output: folder.path("output")
            )
            let status = await child.end(within: .seconds(30))
            await child.destroy()
            return status == 0 ? nil : "status \(status ?? -1): \(folder.read("output"))"
        }
    }
}

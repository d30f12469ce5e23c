import Foundation
import JSON
import TestSupport
import Testing

/// Recorded requests of the original server, replayed against ours.
@Suite(.timeLimit(.minutes(1)))
struct RESTTraceTests {
    @Test(arguments: [
        "rest-environments-crud", "rest-zones-filters", "rest-things-crud", "rest-devices-crud",
        "rest-errors",
        "cmx-notification",
    ])
    func `recorded requests are answered as by the original server`(name: String) async throws {
        let file = try #require(
            Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Traces")
        )
        let trace = try JSONValue(parsing: try Data(contentsOf: file))
        let steps = try #require(trace["steps"]?.array)
        try await withREST { client in
            var player = RESTTracePlayer(client: client)
            for (index, step) in steps.enumerated() where step["op"] == "rest" {
                let note = step["note"]?.string ?? ""
                try await player.play(step, named: "step \(index + 1) \(note)")
            }
            #expect(player.played > 10)
        }
    }
}

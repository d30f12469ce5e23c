import TestSupport
import Testing

/// A process that may open hardly anything, or has hardly any memory, says so instead of trapping.
@Suite(.timeLimit(.minutes(1)))
struct LimitTests {
    @Test(arguments: [
        ["run"], ["serve"], ["demo"], ["import", "place.json"], ["export", "-"], ["get", "health"], ["watch"],
    ])
    func `too few descriptors end a verb with 71 and the limit to raise`(verb: [String]) async throws {
        try await withTemporaryFolder { folder in
            for count in [4, 6, 8, 10, 16] {
                let end = try await Program.run(
                    verb,
                    in: folder,
                    keys: ["mqtt.port": "1", "flare.server.listen": "127.0.0.1:0"],
                    shell: "ulimit -n \(count)"
                )
                #expect(end.status == 71, "\(count): \(end.output)")
                #expect(end.output.contains("ulimit -n"), "\(end.output)")
            }
        }
    }

    @Test func `a demo that could not run ends before it starts a broker`() async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(
                ["demo", "--state", folder.path("state")],
                in: folder,
                shell: "ulimit -n 64"
            )
            #expect(end.status == 71, "\(end.output)")
            #expect(end.output.contains("ulimit -n"), "\(end.output)")
            #expect(folder.read("state/mosquitto.conf").isEmpty)
        }
    }
}

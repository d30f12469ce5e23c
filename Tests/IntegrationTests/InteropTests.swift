import TestSupport
import Testing

/// The server, with the Socket.IO clients of others, and against the recordings of the original.
@Suite(.enabled(if: Interop.isExpected, "\(Interop.advice)"), .serialized, .timeLimit(.minutes(5)))
struct InteropTests {
    static let transports = ["websocket", "polling", "upgrade"]

    private func passes(_ program: String, _ revision: Int, _ keys: [String: String], _ arguments: [String])
        async throws
    {
        try await withFlareServer(keys) { address, folder in
            let end = try await Interop.run(program, [address] + arguments, revision: revision, in: folder)
            let lines = end.output.split(separator: "\n")
            let told = lines.filter { !$0.hasPrefix("ok ") }.joined(separator: "\n")
            #expect(end.status == 0, "\(told)\n\(folder.read("log").suffix(2000))")
            #expect(lines.contains { $0.hasPrefix("ok ") }, "no check was made")
        }
    }

    @Test(arguments: [3, 4], transports)
    func `five clients of others do and hear what they should`(revision: Int, transport: String) async throws
    {
        try await passes("story", revision, [:], [transport])
    }

    @Test(arguments: [3, 4])
    func `a strict server tells nobody a thing twice`(revision: Int) async throws {
        try await passes("story", revision, ["flare.server.strict": "true"], ["websocket", "--strict"])
    }

    @Test(arguments: transports)
    func `every recording of the original is answered alike`(transport: String) async throws {
        try await passes("replay", 3, [:], ["--transport", transport])
    }
}

/// Apart from the others, for these wait and reckon nothing.
@Suite(.enabled(if: Interop.isExpected, "\(Interop.advice)"), .timeLimit(.minutes(6)))
struct InteropSilenceTests {
    @Test func `clients of others that say nothing stay connected`() async throws {
        try await withFlareServer { address, folder in
            try await withThrowingTaskGroup(of: Interop.End.self) { group in
                for revision in [3, 4] {
                    for transport in ["websocket", "polling"] {
                        // Two pings of a client of protocol 3; for protocol 4 the end of both sides' patience.
                        let words = [address, transport, "--idle", "52"]
                        group.addTask {
                            try await Interop.run(
                                "story",
                                words,
                                revision: revision,
                                in: folder,
                                within: .seconds(330)
                            )
                        }
                    }
                }
                for try await end in group { #expect(end.status == 0, "\(end.output.suffix(2000))") }
            }
        }
    }
}

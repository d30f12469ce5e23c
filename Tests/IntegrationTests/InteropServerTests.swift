import Flare
import JSON
import TestSupport
import Testing

/// The daemon with a remote Flare server that others' libraries make.
@Suite(
    .enabled(if: Mosquitto.isExpected),
    .enabled(if: Interop.isExpected, "\(Interop.advice)"),
    .mosquitto,
    .serialized,
    .timeLimit(.minutes(5))
)
struct InteropServerTests {
    private static let lamp = Place.path(ofThing: Place.tableLamp, in: Place.living)

    /// Runs the body with a daemon that has the server's place.
    private func withRemote(
        _ revision: Int,
        _ transport: String = "auto",
        _ body: (InteropServer, Visitor) async throws -> Void
    ) async throws {
        try await withEmptyHome { home, visitor in
            let server = try await InteropServer(revision: revision, in: home.folder)
            let keys = [
                "flare.mode": "remote", "flare.remote.url": "http://127.0.0.1:\(server.port)",
                "flare.remote.protocol": "\(revision)", "flare.remote.transport": transport,
                "flare.server.enabled": "false", "device.allow_set": "true",
                // So that a server that does not answer is not waited for long.
                "flare.remote.timeout_seconds": "2",
            ]
            do {
                try await visitor.whileStarting { try await home.start(keys) }
                try await body(server, visitor)
            } catch {
                await server.kill()
                throw error
            }
            await server.kill()
        }
    }

    /// A command that was not carried out in time.
    private struct NotObeyed: Error {
        let colour: String
        let outcome: String?
    }

    /// What we set is there, and what another sets is heard here.
    private func bothWaysWork(_ server: InteropServer, _ visitor: Visitor, _ ours: String, _ theirs: String)
        async throws
    {
        var outcome: String?
        // What is lost again and again is tried again after up to half a minute, and that may be lost, too.
        let isDone = try await eventually(within: .seconds(60)) {
            outcome = try await visitor.ask("things/table-lamp/set/color", ours).outcome
            return outcome == "ok"
        }
        if !isDone { throw NotObeyed(colour: ours, outcome: outcome) }
        #expect(try await eventually { try await server.value(Self.lamp + "/data/color") == .string(ours) })
        try await server.command("set \(Place.tableLamp) color \"\(theirs)\"")
        try await visitor.awaits("things/table-lamp") { $0["color_name"]?.string == theirs }
    }

    @Test(arguments: [3, 4], ["websocket", "polling", "auto"])
    func `a place on another server is shown and commanded`(revision: Int, transport: String) async throws {
        try await withRemote(revision, transport) { server, visitor in
            try await bothWaysWork(server, visitor, "red", "green")
            try await visitor.ask("device/set", #"{"position":{"x":1.5,"y":2}}"#)
            try await visitor.awaits("nearby") { $0["slug"] == "table-lamp" }
            try await visitor.ask("things/table-lamp/action", "off")
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            #expect(try await server.value(Self.lamp + "/data/on") == false)
        }
    }

    @Test(arguments: [3, 4])
    func `whatever the server does, afterwards all is well`(revision: Int) async throws {
        try await withRemote(revision) { server, visitor in
            for trouble in ["nonsense", "flood 300", "half", "drop", "hang 3"] {
                try await server.command(trouble)
                try await bothWaysWork(server, visitor, "blue", "red")
            }
            for mode in ["nonsense", "strange", "error", "mute"] {
                try await server.command("rest \(mode)")
                try await server.command("drop")
                try await server.command("rest well")
                try await bothWaysWork(server, visitor, "yellow", "purple")
            }
            #expect(await visitor.text("status") == "online")
        }
    }

    @Test(arguments: [3, 4])
    func `a server that dies is told of, and its place is right again when it is back`(revision: Int)
        async throws
    {
        try await withRemote(revision) { server, visitor in
            try await bothWaysWork(server, visitor, "red", "green")
            await server.kill()
            try await visitor.awaits("things/table-lamp/availability", "offline")
            try await server.start()
            try await visitor.awaits("things/table-lamp/availability", "online")
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "orange" }
            try await bothWaysWork(server, visitor, "blue", "red")
        }
    }
}

import Dispatch
import Flare
import Foundation
import Positioning
import Sensors
import TestSupport
import Testing

/// The client on a real connection, with a scripted peer.
@Suite(.timeLimit(.minutes(1))) struct GPSDClientTests {
    private static let version = #"{"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":15}"#
    private static let fix = #"{"class":"TPV","mode":3,"lat":47.5,"lon":11.5,"eph":5.5}"#

    private func withClient<Result: Sendable>(
        port: Int,
        _ change: (inout GPSDSettings) -> Void = { _ in },
        _ body: (Outbound<GPSDCondition>) async throws -> Result
    ) async throws -> Result {
        var settings = GPSDSettings()
        settings.host = "127.0.0.1"
        settings.port = port
        settings.firstPause = 0.01
        settings.longestPause = 0.1
        change(&settings)
        return try await listening(to: { report in
            GPSDClient(settings, clock: steadySeconds, logger: .silent, report: report).source
        }) { try await body($0) }
    }

    /// A listener on a port that the previous listener's thread may still hold for a moment.
    private func listener(on port: Int) async throws -> LoopbackSocket {
        for _ in 0..<1000 {
            if let listener = try? LoopbackSocket.listening(port: port) { return listener }
            try await Task.sleep(for: .milliseconds(5))
        }
        return try LoopbackSocket.listening(port: port)
    }

    /// The client's next connection, after its WATCH command.
    private func accept(_ listener: LoopbackSocket) async throws -> LoopbackSocket {
        let (link, asked) = try await waiting {
            let link = try listener.accept()
            var asked: [UInt8] = []
            while asked.last != 0x0A, case let part = link.receive(), !part.isEmpty { asked += part }
            return (link, String(decoding: asked, as: UTF8.self))
        }
        #expect(asked == GPSDSession.watch)
        return link
    }

    /// Runs blocking work outside of the threads that all tests share.
    private func waiting<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    private func say(_ link: LoopbackSocket, _ lines: String...) throws {
        try link.send(Array(lines.map { $0 + "\r\n" }.joined().utf8))
    }

    @Test func `locations and headings are published`() async throws {
        let listener = try LoopbackSocket.listening()
        try await withClient(port: listener.port) { told in
            let link = try await accept(listener)
            try say(link, Self.version, Self.fix, #"{"class":"ATT","mheading":12.5}"#)
            #expect(await eventually { await told.readings.count == 2 })
            guard case .location(let place, accuracyMetres: 5.5, let time)? = await told.readings.first else {
                return #expect(Bool(false))
            }
            #expect(place == GeoPoint(latitude: 47.5, longitude: 11.5))
            #expect((0..<30).contains(time))
            #expect(await told.points(to: 12.5, within: 0))
            #expect(await eventually { await told.conditions.last?.mode == 3 })
            let condition = await told.conditions.last
            #expect(
                condition?.state == .connected && condition?.release == "3.25" && condition?.problem == nil
            )
        }
    }

    @Test func `a gpsd that starts later is used, and again after each disconnect`() async throws {
        let port = try LoopbackSocket.freePort()
        try await withClient(port: port) { told in
            #expect(await eventually { await told.conditions == [GPSDCondition()] })
            #expect(await told.conditions.last?.problem == nil)
            for round in 0..<3 {
                await told.forget()
                let link = try await accept(try await listener(on: port))
                try say(link, Self.version, Self.fix)
                #expect(await eventually { await told.readings.count == 1 })
                if round == 1 { link.reset() } else { link.shut() }
                #expect(await eventually { await told.conditions.last?.state == .waiting })
                let problem = try #require(await told.conditions.last?.problem)
                #expect(problem.hasPrefix("no connection to the gpsd at 127.0.0.1:\(port): "))
            }
        }
    }

    @Test func `a configured gpsd that is absent is reported at once`() async throws {
        let port = try LoopbackSocket.freePort()
        try await withClient(port: port, { $0.isConfigured = true }) { told in
            #expect(await eventually { await told.conditions.last?.state == .waiting })
            #expect(await told.conditions.last?.problem?.contains("Connection refused") == true)
        }
        try await withClient(
            port: port,
            {
                $0.host = "no.such.host.invalid"
                $0.isConfigured = true
            }
        ) { told in
            #expect(await eventually { await told.conditions.last?.problem?.contains("invalid:") == true })
        }
    }

    @Test func `another server on that port is reported and retried`() async throws {
        let listener = try LoopbackSocket.listening()
        try await withClient(port: listener.port, { $0.isConfigured = true }) { told in
            for _ in 0..<2 {
                let link = try await accept(listener)
                try say(link, String(repeating: "HTTP/1.1 400 Bad Request\r\n", count: 60))
                #expect(
                    await eventually {
                        await told.conditions.last?.problem?.contains("does not speak gpsd's protocol")
                            == true
                    }
                )
            }
        }
    }

    @Test func `at the end the client stops watching and closes the connection`() async throws {
        let listener = try LoopbackSocket.listening()
        let link = try await withClient(port: listener.port) { told in
            let link = try await accept(listener)
            try say(link, Self.version)
            #expect(await eventually { await told.conditions.last?.state == .connected })
            return link
        }
        let rest = try await waiting {
            var rest: [UInt8] = []
            while case let part = link.receive(), !part.isEmpty { rest += part }
            return String(decoding: rest, as: UTF8.self)
        }
        #expect(rest == GPSDSession.unwatch)
    }

    @Test func `a flood of data does not exhaust memory`() async throws {
        let listener = try LoopbackSocket.listening()
        try await withClient(port: listener.port) { told in
            let link = try await accept(listener)
            try say(link, Self.version)
            try await waiting { for _ in 0..<100 { try link.send([UInt8](repeating: 0x41, count: 10_000)) } }
            try say(link, "", Self.fix)
            #expect(await eventually { await told.readings.count == 1 })
        }
    }
}

import Daemon
import Logging
import MQTT
import OperatingSystem
import ServiceLifecycle
import Settings
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TrilateralDaemonTests {
    private static let logger = Logger.silent

    /// Runs until it is stopped, and then until a body has returned.
    private struct Lasting: Service {
        var body: @Sendable () async -> Void = {}

        func run() async throws {
            try await gracefulShutdown()
            await body()
        }
    }

    /// Ends by itself, without an error.
    private struct Ending: Service {
        func run() async throws {}
    }

    private struct Failing: Service {
        struct Failure: Error {}

        func run() async throws { throw Failure() }
    }

    private func daemon(
        _ services: [any Service],
        asked requests: [ShellRequest] = [],
        host: @escaping @Sendable () -> String = { "broker" },
        prepare: @escaping @Sendable (AsyncStream<ShellRequest>.Continuation) async -> Void = { _ in },
        setLogLevel: @escaping @Sendable (String) -> Void = { _ in },
        reload: @escaping @Sendable (LoadedConfiguration) async -> TrilateralDaemon.Reload = { _ in .rebuild
        },
        service: ServiceReport = ServiceReport()
    ) -> TrilateralDaemon {
        let (stream, port) = AsyncStream.makeStream(of: ShellRequest.self)
        for request in requests { port.yield(request) }
        return TrilateralDaemon(
            services: services,
            requests: stream,
            requestPort: port,
            read: {
                Result { () throws(ConfigurationErrors) in
                    try ConfigurationLoader.load(
                        file: nil,
                        environment: ["TRILATERAL_MQTT_HOST": host()],
                        schema: .program
                    )
                }
            },
            reportRead: { problem in if problem == nil { port.yield(.rebuild) } },
            reload: reload,
            prepare: { _ in await prepare(port) },
            setLogLevel: setLogLevel,
            service: service,
            logger: Self.logger
        )
    }

    @Test func `a reload that is asked for while another one is prepared is left to the next daemon`()
        async throws
    {
        let (reads, read) = AsyncStream.makeStream(of: Void.self)
        let (seen, see) = AsyncStream.makeStream(of: String.self)
        let daemon = daemon(
            [
                Lasting {
                    // What was asked for during the preparation was looked at by now: the level comes after it.
                    for await _ in seen { break }
                }
            ],
            asked: [.readConfiguration],
            host: {
                read.yield()
                return "broker"
            },
            prepare: { port in
                port.yield(.readConfiguration)
                port.yield(.logLevel("debug"))
            },
            setLogLevel: { see.yield($0) }
        )
        guard case .rebuild(let next) = try await daemon.run() else {
            Issue.record("it did not end for another configuration")
            return
        }
        #expect(next.values.mqtt.host == "broker")
        read.finish()
        var count = 0
        for await _ in reads { count += 1 }
        #expect(count == 1)
    }

    @Test func `databases are opened again with the same configuration, even if the file has changed`()
        async throws
    {
        let daemon = daemon([Lasting()], asked: [.reopen])
        guard case .reopen = try await daemon.run() else {
            Issue.record("it did not end to open its databases again")
            return
        }
    }

    @Test(arguments: [TrilateralDaemon.Reload.applied, .refused("no")])
    func `a reload, its end, and the stop are reported to the supervisor`(
        outcome: TrilateralDaemon.Reload
    ) async throws {
        try await withTemporaryFolder { folder in
            let socket = try NotifySocket(folder.path("notify"))
            let service = ServiceReport(to: ServiceSupervisor(["NOTIFY_SOCKET": socket.name]))
            service.begun(opening: [])
            #expect(try await onThread { socket.receive() } == ["READY=1"])
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let daemon = daemon(
                [Lasting()],
                asked: [.readConfiguration],
                reload: { _ in
                    end.finish()
                    return outcome
                },
                service: service
            )
            async let ended = daemon.run()
            for await _ in ends {}
            let lines = try #require(try await onThread { socket.receive() })
            #expect(lines.first == "RELOADING=1" && lines.last?.hasPrefix("MONOTONIC_USEC=") == true)
            #expect(try await onThread { socket.receive() } == ["READY=1"])
            daemon.requestPort.yield(.stop)
            #expect(try await onThread { socket.receive() } == ["STOPPING=1"])
            guard case .stopped = try await ended else {
                Issue.record("it did not stop")
                return
            }
        }
    }

    @Test func `a daemon that is built anew gives a sign of life before`() async throws {
        try await withTemporaryFolder { folder in
            let socket = try NotifySocket(folder.path("notify"))
            let variables = ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "60000000"]
            let daemon = daemon(
                [Lasting()],
                asked: [.readConfiguration],
                service: ServiceReport(to: ServiceSupervisor(variables))
            )
            guard case .rebuild = try await daemon.run() else {
                Issue.record("it did not end for another configuration")
                return
            }
            #expect(try await onThread { socket.receive() } == ["WATCHDOG=1"])
        }
    }

    @Test func `a daemon that ends though nobody asked for it has failed`() async {
        let daemon = daemon([Ending()])
        await #expect(throws: UnexpectedEnd.self) { _ = try await daemon.run() }
    }

    @Test func `a service that fails ends it with its error`() async {
        let daemon = daemon([Lasting(), Failing()])
        await #expect(throws: Failing.Failure.self) { _ = try await daemon.run() }
    }
}

import Controller
import Daemon
import Logging
import TestSupport
import Testing

struct StorageMonitorTests {
    private static let logger = Logger.silent

    /// What is reported of some events.
    ///
    /// - Parameter answers: What the databases answer to one test after the other.
    private func reported(_ events: [StorageHealth.Event], answers: [Bool]) async throws -> [ControllerEvent]
    {
        try await withTemporaryFolder { folder in
            let (stream, port) = AsyncStream.makeStream(of: StorageHealth.Event.self)
            let (sent, send) = AsyncStream.makeStream(of: ControllerEvent.self)
            let (tests, test) = AsyncStream.makeStream(of: Bool.self)
            for event in events { port.yield(event) }
            port.finish()
            for answer in answers { test.yield(answer) }
            test.finish()
            let monitor = StorageMonitor(
                try StateFolder(named: folder.path("state"), environment: [:]),
                files: [],
                events: stream,
                port: port,
                retry: {
                    for await answer in tests { return answer }
                    return false
                },
                reopen: {},
                send: { send.yield($0) },
                logger: Self.logger
            )
            await monitor.follow()
            send.finish()
            var result: [ControllerEvent] = []
            for await event in sent { result.append(event) }
            return result
        }
    }

    private static let raised = ControllerEvent.alertRaised(
        "state-folder",
        .error,
        message: "Nothing can be stored: flare.db: disk I/O error."
    )
    private static let failed = StorageHealth.Event.failed("flare.db: disk I/O error")

    @Test func `a folder that takes a file ends the alert only when the databases take writes, too`()
        async throws
    {
        let inspected = StorageHealth.Event.inspected(problem: nil)
        let refusing = try await reported(
            [Self.failed, inspected, Self.failed, inspected],
            answers: [false, false]
        )
        #expect(refusing == [Self.raised])
        let taking = try await reported([Self.failed, inspected, inspected], answers: [false, true])
        #expect(taking == [Self.raised, .alertCleared("state-folder")])
    }

    @Test func `a folder that takes no new files is an alert that says what still works`() async throws {
        let closed = StorageHealth.Event.inspected(
            problem: "the state folder /s cannot be written: Permission denied",
            isPartial: true
        )
        let limited = ControllerEvent.alertRaised(
            "state-folder",
            .error,
            message: """
                The state folder /s cannot be written: Permission denied. Changes are still stored in the open databases, \
                but nothing new can be made there: the next start or reload will fail.
                """
        )
        #expect(try await reported([closed, closed], answers: []) == [limited])
        #expect(try await reported([closed, Self.failed, closed], answers: []) == [limited, Self.raised])
        #expect(
            try await reported([closed, .inspected(problem: nil)], answers: [])
                == [limited, .alertCleared("state-folder")]
        )
    }
}

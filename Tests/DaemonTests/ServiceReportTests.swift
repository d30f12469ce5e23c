import Daemon
import OperatingSystem
import TestSupport
import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct ServiceReportTests {
    @Test func `what the supervisor could not take is repeated until it has it`() async throws {
        try await withTemporaryFolder { folder in
            let (pauses, paused) = AsyncStream.makeStream(of: Void.self)
            let (turns, turn) = AsyncStream.makeStream(of: Void.self)
            let name = folder.path("notify")
            let report = ServiceReport(to: ServiceSupervisor(["NOTIFY_SOCKET": name])) {
                paused.yield()
                for await _ in turns { break }
            }
            // Nobody is there.
            report.begun(opening: [])
            var waits = pauses.makeAsyncIterator()
            await waits.next()
            turn.yield()
            await waits.next()
            let socket = try NotifySocket(name)
            turn.yield()
            #expect(try await onThread { socket.receive() } == ["READY=1"])
        }
    }

    @Test func `what is reported next comes after what was not taken`() async throws {
        try await withTemporaryFolder { folder in
            let (turns, turn) = AsyncStream.makeStream(of: Void.self)
            let name = folder.path("notify")
            let report = ServiceReport(to: ServiceSupervisor(["NOTIFY_SOCKET": name])) {
                for await _ in turns { break }
            }
            report.begun(opening: [])
            let socket = try NotifySocket(name)
            report.reloadBegun()
            report.reloadEnded()
            #expect(try await onThread { socket.receive() } == ["READY=1"])
            #expect(try await onThread { socket.receive() }?.first == "RELOADING=1")
            #expect(try await onThread { socket.receive() } == ["READY=1"])
            turn.finish()
        }
    }

    @Test func `it gives up after a while, and not for ever`() async throws {
        try await withTemporaryFolder { folder in
            let count = Locked(0)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let name = folder.path("notify")
            let report = ServiceReport(to: ServiceSupervisor(["NOTIFY_SOCKET": name])) {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 60 { end.finish() }
            }
            report.begun(opening: [])
            for await _ in ends {}
            let socket = try NotifySocket(name)
            report.stopBegun()
            #expect(try await onThread { socket.receive() } == ["READY=1"])
            #expect(try await onThread { socket.receive() } == ["STOPPING=1"])
        }
    }
}

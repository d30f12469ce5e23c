import Daemon
import Foundation
import Logging
import OperatingSystem
import ServiceLifecycle
import TestSupport
import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct ReplaceableServicesTests {
    private struct Failure: Error {}

    /// Records when it begins and ends.
    private struct Noted: Service {
        let name: String
        let port: AsyncStream<String>.Continuation

        func run() async throws {
            port.yield("\(name) begins")
            defer { port.yield("\(name) ends") }
            try await gracefulShutdown()
        }
    }

    /// Fails when it is told to.
    private struct Fragile: Service {
        let breaks: AsyncStream<Void>

        func run() async throws {
            for await _ in breaks { throw Failure() }
        }
    }

    private let notes: AsyncStream<String>
    private let port: AsyncStream<String>.Continuation

    init() { (notes, port) = AsyncStream.makeStream(of: String.self) }

    private func service(_ name: String) -> any Service { Noted(name: name, port: port) }

    /// What a service says next.
    private func next() async -> String? { await notes.first { _ in true } }

    /// Runs the body beside the services, and ends them.
    private func run(
        _ services: ReplaceableServices,
        _ body: () async throws -> Void
    ) async throws {
        let group = ServiceGroup(services: [services], logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await body()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        port.finish()
    }

    @Test func `one group is replaced while the others run, and the old one ends before the new one begins`()
        async throws
    {
        let services = ReplaceableServices(
            "parts",
            [("a", [service("first")]), ("b", [service("other")])],
            logger: .silent
        )
        var heard: [String?] = []
        try await run(services) {
            heard = await [next(), next()]
            #expect(Set(heard) == ["first begins", "other begins"])
            await services.replace("a", with: [service("second")])
            heard = await [next(), next()]
            #expect(heard == ["first ends", "second begins"])
        }
        var rest: Set<String> = []
        for await note in notes { rest.insert(note) }
        #expect(rest == ["second ends", "other ends"])
    }

    @Test func `a group can be switched off and on, also one that was not there`() async throws {
        let services = ReplaceableServices("parts", [("a", [service("first")])], logger: .silent)
        try await run(services) {
            #expect(await next() == "first begins")
            await services.replace("a", with: [])
            #expect(await next() == "first ends")
            await services.replace("a", with: [])
            await services.replace("b", with: [service("new")])
            #expect(await next() == "new begins")
        }
    }

    @Test func `a service that fails ends all, and nobody waits for a replacement any more`() async throws {
        let (breaks, breakIt) = AsyncStream.makeStream(of: Void.self)
        let services = ReplaceableServices(
            "parts",
            [("a", [service("first")]), ("b", [Fragile(breaks: breaks)])],
            logger: .silent
        )
        await #expect(throws: Failure.self) {
            try await run(services) {
                _ = await next()
                breakIt.yield()
                #expect(await next() == "first ends")
            }
        }
        await services.replace("a", with: [service("late")])
    }

    @Test func `after the end nothing is replaced`() async throws {
        let services = ReplaceableServices("parts", [], logger: .silent)
        try await run(services) {}
        await services.replace("a", with: [service("late")])
        var count = 0
        for await _ in notes { count += 1 }
        #expect(count == 0)
    }

    /// Runs until the shutdown, and logs nothing.
    private struct Quiet: Service {
        func run() async throws { try await gracefulShutdown() }
    }

    // In a process of its own, since other tests take memory meanwhile.
    @Test func `memory stays the same however often a group is replaced`() async {
        await #expect(processExitsWith: .success) {
            let services = ReplaceableServices("parts", [], logger: .silent)
            let group = ServiceGroup(services: [services], logger: .silent)
            let running = Task { try await group.run() }
            for _ in 0..<200 { await services.replace("a", with: [Quiet()]) }
            let before = try #require(ProcessMemory.now()?.anonymous)
            for _ in 0..<2000 { await services.replace("a", with: [Quiet()]) }
            let after = try #require(ProcessMemory.now()?.anonymous)
            await group.triggerGracefulShutdown()
            try await running.value
            // An ended task that is kept has more than a kilobyte.
            exit(after - before < 1_500_000 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}

package import Logging
package import ServiceLifecycle

/// Services in groups with names, each of which can be replaced while the others run.
///
/// A service that fails ends all of them, and with them the daemon.
package final class ReplaceableServices: Service, CustomStringConvertible {
    private enum Order: Sendable {
        case replace(String, [any Service], done: CheckedContinuation<Void, Never>)
        case failed(any Error)
    }

    /// For logs.
    package let description: String
    private let first: [(name: String, services: [any Service])]
    private let orders: AsyncStream<Order>
    private let port: AsyncStream<Order>.Continuation
    private let logger: Logger

    /// - Parameter first: The groups that run from the start, in their order.
    package init(_ description: String, _ first: [(name: String, services: [any Service])], logger: Logger) {
        (self.description, self.first, self.logger) = (description, first, logger)
        (orders, port) = AsyncStream.makeStream(of: Order.self)
    }

    /// Ends a group's services and starts others in their place; returns when those have ended.
    ///
    /// Nothing happens before ``run()`` and after it.
    package func replace(_ name: String, with services: [any Service]) async {
        await withCheckedContinuation { done in
            guard case .enqueued = port.yield(.replace(name, services, done: done)) else {
                return done.resume()
            }
        }
    }

    package func run() async throws {
        do {
            try await runGroups()
        } catch {
            await drain()
            throw error
        }
        await drain()
    }

    /// Whoever waits for an order must not wait for ever.
    private func drain() async {
        port.finish()
        for await case .replace(_, _, let done) in orders { done.resume() }
    }

    private func runGroups() async throws {
        // A group that keeps its ended tasks would grow with each replacement.
        try await withThrowingDiscardingTaskGroup { tasks in
            var running: [String: (group: ServiceGroup, ended: AsyncStream<Never>)] = [:]
            func start(_ name: String, _ services: [any Service]) {
                guard !services.isEmpty else { return }
                let group = ServiceGroup(of: services, logger: logger)
                let (ended, end) = AsyncStream.makeStream(of: Never.self)
                tasks.addTask { [port] in
                    defer { end.finish() }
                    do {
                        try await group.run()
                    } catch {
                        port.yield(.failed(error))
                        throw error
                    }
                }
                running[name] = (group, ended)
            }
            for (name, services) in first { start(name, services) }
            try await withGracefulShutdownHandler {
                for await order in orders {
                    switch order {
                    case .replace(let name, let services, let done):
                        if let old = running.removeValue(forKey: name) {
                            await old.group.triggerGracefulShutdown()
                            for await _ in old.ended {}
                        }
                        start(name, services)
                        done.resume()
                    case .failed(let error): throw error
                    }
                }
            } onGracefulShutdown: { [port] in
                // The groups hear of it by themselves.
                port.finish()
            }
        }
    }
}

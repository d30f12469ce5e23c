import Controller
import Directory
import Foundation
import Logging
import Resolution
import Sensing
import ServiceLifecycle
import Settings
import Threading

extension Capability {
    /// A directory of servers whose address changes.
    static let resolver = Capability(
        name: "resolver",
        settings: .resolver,
        alerts: ["resolver", "resolver-listener"]
    ) { context in
        let settings = context.configuration.resolver
        guard settings.isEnabled else { return nil }
        let keys = try settings.keysFile.map { try StationKeys.load($0).get() } ?? [:]
        let (send, clock, logger, links) = (context.send, context.clock, context.logger, context.links)
        let file = URL(filePath: context.store.path).deletingLastPathComponent().appending(
            path: "resolver.db"
        )
        .path(percentEncoded: false)
        let configuration = ResolverConfiguration(settings, keys: keys)
        // From the moment at which the database could be opened.
        let running = Locked<ResolverServer?>(nil)
        var parts = CapabilityParts()
        parts.features = ["resolver"]
        parts.links = ["resolver"]
        parts.counters = {
            (running.withLock { $0 }?.counters.withLock { $0 } ?? ResolverCounters()).values
        }
        parts.services = [
            DaemonService(name: "resolver") {
                let database = await cancelWhenGracefulShutdown { await open(file, send, logger) }
                guard let database else { return }
                let server = ResolverServer(
                    configuration,
                    database: database,
                    clocks: .init(
                        steady: { clock().steadyMilliseconds },
                        wall: { Int(clock().wallMilliseconds / 1000) }
                    ),
                    onDatabase: { send(report($0)) },
                    logger: logger
                )
                running.withLock { $0 = server }
                await cancelWhenGracefulShutdown { await listen(settings.listen, server, links, logger) }
                try? await gracefulShutdown()
                await server.stop()
                database.close()
            }
        ]
        return parts
    }

    /// Raises or clears the alert about the database.
    private static func report(_ error: String?) -> ControllerEvent {
        .alert("resolver", .error, error.map { "The resolver cannot use its database: \($0)." })
    }

    /// Tries until the database can be opened; `nil` at the end of the node.
    private static func open(
        _ file: String,
        _ send: @Sendable (ControllerEvent) -> Void,
        _ logger: Logger
    ) async -> ResolverDatabase? {
        var isReported = false
        while !Task.isCancelled {
            do {
                let database = try ResolverDatabase(path: file)
                if isReported { send(report(nil)) }
                return database
            } catch {
                if !isReported {
                    logger.error("the resolver's database cannot be opened", metadata: ["error": "\(error)"])
                    send(report("\(error)"))
                }
                isReported = true
            }
            try? await Task.sleep(for: retry)
        }
        return nil
    }

    private static let retry = Duration.seconds(10)

    /// Tries until it listens everywhere: an address that is taken does not end the daemon.
    private static func listen(
        _ places: [HostAndPort],
        _ server: ResolverServer,
        _ links: SensorLinkReport,
        _ logger: Logger
    ) async {
        var (missing, reported) = (places, "")
        while !missing.isEmpty, !Task.isCancelled {
            var problems: [String] = []
            for place in missing {
                do {
                    let port = try await server.listen(.init(host: place.host, port: place.port))
                    logger.notice("resolver: \(HostAndPort(host: place.host, port: port))")
                    missing.removeAll { $0 == place }
                } catch {
                    problems.append("\(place): \(error)")
                }
            }
            let problem = problems.joined(separator: "; ")
            if problem.isEmpty {
                if !reported.isEmpty { links.send(.alertCleared("resolver-listener")) }
            } else if problem != reported {
                let message = "The resolver does not listen on \(problem). Trying again every 10 s."
                logger.error("\(message)")
                links.send(.alertRaised("resolver-listener", .error, message: message))
            }
            await links.linkChanged("resolver", problem.isEmpty)
            reported = problem
            guard !missing.isEmpty else { return }
            try? await Task.sleep(for: retry)
        }
    }
}

extension ResolverCounters {
    /// By name, for the health message.
    fileprivate var values: [String: Int] {
        [
            "resolver_connections": connections, "resolver_names": names, "resolver_unknown": unknown,
            "resolver_updates": updates, "resolver_changes": changes, "resolver_refused": refused,
        ]
    }
}

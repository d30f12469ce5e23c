import Bridge
import Controller
import Directory
import JSON
import Logging
import Messages
import Resolution
import Sensing
import Settings
import Threading

extension Capability {
    /// Announces the address of this machine to a resolver.
    static let station = Capability(name: "station", settings: .station, alerts: ["station"]) { context in
        let settings = context.configuration.station
        guard let resolver = settings.announce else { return nil }
        let (send, clock, logger, links) = (context.send, context.clock, context.logger, context.links)
        let configured = settings.serial.flatMap { StationSerial($0) }
        let serial = try configured ?? context.store.stationSerial()
        let key = try settings.keyFile.map { try StationSettings.key(in: $0).get().key }
        let counts = Locked((announced: 0, failed: 0))
        var parts = CapabilityParts()
        parts.features = ["station"]
        parts.links = ["station"]
        parts.counters = {
            let counts = counts.withLock { $0 }
            return ["station_announced": counts.announced, "station_failed": counts.failed]
        }
        let topic = context.topics.station
        parts.renderers = [
            MessageRenderer(expected: [topic]) { snapshot in
                guard snapshot.changes.contains(.station) else { return [] }
                return [(topic, snapshot.state.slices[StationSlice.self].json?.bytes ?? [])]
            }
        ]
        parts.topics = [topic]
        guard let serial else {
            parts.services = [
                DaemonService.untilShutdown("station") {
                    let problem = "This machine has no network interface with a MAC: set station.serial."
                    send(.alert("station", .error, problem))
                }
            ]
            return parts
        }
        let announcer = Announcer(
            .init(
                serial: serial,
                resolver: DirectoryClient(host: resolver.host, port: resolver.port),
                periodSeconds: settings.periodSeconds,
                address: settings.announced,
                key: key
            ),
            clocks: .init(
                steady: { clock().steadyMilliseconds },
                wall: { Int(clock().wallMilliseconds / 1000) }
            )
        ) { report in
            counts.withLock { counts in
                if report.isSuccess { counts.announced += 1 } else { counts.failed += 1 }
            }
            send(
                StationSlice.event(
                    .init(
                        serial: serial.text,
                        resolver: "\(resolver)",
                        address: report.address?.description,
                        error: report.error
                    )
                )
            )
            let problem = "The address of \(serial) is not announced: \(report.error ?? "")."
            send(.alert("station", .warning, report.isFailing ? problem : nil))
            await links.linkChanged("station", report.isSuccess)
        }
        parts.services = [
            DaemonService.untilShutdown("station") {
                let changes: AsyncStream<Void>
                do {
                    changes = try AddressMonitor().changes()
                } catch {
                    logger.warning(
                        "changes of this machine's addresses are not reported",
                        metadata: ["error": "\(error)"]
                    )
                    changes = AsyncStream { $0.finish() }
                }
                await announcer.run(changes: changes)
            }
        ]
        return parts
    }
}

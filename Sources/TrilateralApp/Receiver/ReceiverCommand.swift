import ArgumentParser
import Daemon
import Foundation
import Logging
import MQTT
import OperatingSystem
import Receivers
import Sensing
import Sensors
import Settings
import Threading

/// `trilateral receiver`: this machine listens with its Bluetooth adapter, and publishes what it hears.
struct ReceiverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receiver",
        abstract:
            "Publish which devices this machine's Bluetooth adapter hears, without a place and a device.",
        discussion: """
            It publishes in the form of ESPresense, and daemons locate their devices by it. SIGTERM and SIGINT stop it. \
            The broker's user and password, the keys of phones and the rest come from the sections mqtt, receiver and \
            sensors.beacons of the configuration. In the daemon it is receiver.enabled.
            """
    )

    @Option(
        help:
            "The receiver's name, such as kitchen; without it the one in the configuration, or the host name."
    )
    var name: String?

    @Option(
        help: ArgumentHelp("The broker; without it the one in the configuration.", valueName: "host:port"),
        transform: HostAndPort.argument
    )
    var mqtt: HostAndPort?

    @OptionGroup var file: ConfigurationOption

    func validate() throws { try ConfigurationType.receiverName.check("--name", name) }

    func run() async throws {
        let supervisor = ServiceSupervisor.ofThisProcess()
        let signals = SignalStream([SIGTERM, SIGINT])
        let environment = ProcessInfo.processInfo.environment
        var configuration = try file.load(
            readsProfiles: false,
            isDaemon: true,
            environment: environment
        ).values
        if let name { configuration.receiver.name = name }
        if let mqtt { (configuration.mqtt.host, configuration.mqtt.port) = (mqtt.host, mqtt.port) }
        if let problem = ConfigurationSection.noAdapter(configuration) {
            throw VerbError("a receiver \(problem)", .configuration)
        }
        let log = LogOutput(
            level: Logger.Level(configuration.log.level),
            form: LogFormat(configuration.log.format, environment: environment)
        )
        defer { log.flush() }
        KnownSecrets { log.secrets = $0 }.use(configuration)
        let receiver = try RunningReceiver(
            configuration,
            supervisor: supervisor,
            logger: log.logger("receiver")
        )
        do throws(SensorError) {
            try await receiver.run { await signals.first() }
        } catch {
            throw VerbError("\(error)", ExitCode(error))
        }
    }
}

/// A receiver with its adapter, or a recording in its place.
private struct RunningReceiver: Sendable {
    private let service: ReceiverService
    private let source: SensorSource
    private let bluetooth: BluetoothService?
    private let report: ServiceReport
    private let supervisor: ServiceSupervisor?
    private let links: AsyncStream<(name: String, isUp: Bool?)>
    private let port: AsyncStream<(name: String, isUp: Bool?)>.Continuation
    private let logger: Logger

    init(_ configuration: TrilateralConfiguration, supervisor: ServiceSupervisor?, logger: Logger) throws {
        let packets = PacketFeed()
        (self.supervisor, self.logger) = (supervisor, logger)
        report = ServiceReport(to: supervisor)
        let (links, port) = AsyncStream.makeStream(of: (name: String, isUp: Bool?).self)
        (self.links, self.port) = (links, port)
        let settings = ReceiverSettings(configuration)
        service = ReceiverService(
            settings,
            feed: packets,
            link: configuration.mqtt,
            onLink: { port.yield((name: "broker", isUp: $0)) },
            logger: logger
        )
        if let replay = configuration.sensors.replays.first {
            bluetooth = nil
            do throws(SensorError) {
                source = try replay.source(nil, feed: packets, logger)
            } catch {
                throw VerbError("sensors.replay.file: \(error)", ExitCode(error))
            }
        } else {
            let scanner = try BluetoothService(
                configuration.beacons.scanning,
                ephemerals: nil,
                feed: packets,
                isOn: true,
                isReceiver: true,
                clocks: .ofThisMachine,
                logger: logger
            )
            guard let scanner else { throw VerbError("a receiver needs an adapter", .configuration) }
            (bluetooth, source) = (scanner, scanner.scanner.source)
        }
        logger.notice(
            "receiver",
            metadata: [
                "name": "\(settings.name)", "topic": "\(settings.topic)",
                "broker": "\(configuration.mqtt.address)", "keys": "\(settings.keys.entries.count)",
            ]
        )
    }

    /// Runs until the end is asked for.
    ///
    /// - Throws: If the scanner cannot start, or the recording is damaged.
    func run(until end: @escaping @Sendable () async -> Void) async throws(SensorError) {
        let failure = Locked<SensorError?>(nil)
        report.begun(opening: [])
        await withDiscardingTaskGroup { group in
            group.addTask {
                do throws(SensorError) {
                    try await source.run { _ in }
                } catch {
                    failure.withLock { $0 = error }
                    await service.stop()
                }
            }
            if let bluetooth {
                let links = SensorLinkReport(send: { _ in }) { [port] in port.yield((name: $0, isUp: $1)) }
                group.addTask { await bluetooth.run(links) }
            }
            group.addTask { await show() }
            if let supervisor, let timeout = supervisor.watchdogTimeout {
                let watchdog = Watchdog(
                    timeout: timeout,
                    [{ [client = service.client] in await client.nextRound() }]
                ) {
                    supervisor.send([.watchdog])
                }
                group.addTask { await watchdog.run() }
            }
            group.addTask {
                await end()
                report.stopBegun()
                await service.stop()
            }
            await service.run()
            group.cancelAll()
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Shows the supervisor what is connected.
    private func show() async {
        var states: [String: Bool] = [:]
        var last = ""
        var isStarting = true
        func line() -> String {
            let broker = states["broker"] == true ? "connected" : "not connected"
            let adapter =
                bluetooth == nil ? "a recording" : states["bluetooth"] == true ? "scanning" : "not scanning"
            return "broker \(broker), Bluetooth \(adapter)"
        }
        supervisor?.send([.status(line())])
        for await link in links {
            states[link.name] = link.isUp
            if isStarting, states["broker"] == true, bluetooth == nil || states["bluetooth"] == true {
                isStarting = false
                ProcessMemory.giveBackStart()
            }
            let text = line()
            guard text != last else { continue }
            last = text
            supervisor?.send([.status(text)])
        }
    }
}

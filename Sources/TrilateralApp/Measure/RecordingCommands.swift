import ArgumentParser
import Daemon
import Foundation
import Logging
import Messages
import OperatingSystem
import Sensing
import Sensors
import Settings

/// `trilateral record`: records everything that the sensors report.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record everything that the sensors report.",
        discussion: """
            Records the readings of the Bluetooth adapter, this machine's compass, gpsd and accelerometer (or of a \
            recording that the configuration names in their place), and those that other programs publish on \
            <base>/<node>/sensors/…/raw, beside a running daemon or without one. With --bluetooth it records only the \
            adapter, without a broker. Ctrl-C or --seconds ends it. trilateral replay plays the file.
            """
    )

    @Argument(file: "The file to write; it must not exist yet.")
    var trace: String

    @Option(help: ArgumentHelp("How long to record, seconds; without it until Ctrl-C.", valueName: "n"))
    var seconds: Int?

    @Flag(help: "Record only the Bluetooth adapter; no broker is needed.")
    var bluetooth = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var state: StateOption

    func validate() throws {
        if let seconds, !(1...1_000_000_000).contains(seconds) {
            throw ValidationError("--seconds must be 1 to 1000000000 (is \(seconds))")
        }
    }

    func run() async throws {
        let address = broker.address
        let settings =
            try bluetooth
            ? address.settings(of: nil) : address.settings(node: broker.node)
        let configuration = settings.loaded.values
        let log = LogOutput(ofVerb: configuration.log, environment: [:])
        defer { log.flush() }
        let logger = log.logger("record")
        do {
            var heard = try SensorSources(
                radioOf: configuration,
                isAdapterOnly: bluetooth,
                logger: logger
            )
            if bluetooth {
                guard !heard.sources.isEmpty else {
                    throw VerbError(
                        "--bluetooth needs an adapter, and the configuration has sensors.beacons.adapter: none; name one there",
                        .configuration
                    )
                }
                StandardError.report("recording the Bluetooth adapter; Ctrl-C ends it")
            } else {
                try await heard.add(broker, settings, logger: logger)
                heard.add(localOf: configuration, state, logger: logger)
            }
            let count = try await record(heard)
            StandardError.report("\(trace): \(count) readings")
        } catch let error as SensorError {
            throw VerbError.ending(by: error)
        }
    }

    /// Writes down what is heard, until the end; how many readings that were.
    private func record(_ heard: SensorSources) async throws -> Int {
        let (readings, port) = AsyncStream.makeStream(of: SensorReading.self)
        var writer = try SensorTraceWriter(creating: trace, started: RuntimeClock.now().timestamp)
        let count = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await heard.run { port.yield($0) } }
            group.addTask { [seconds] in
                await SignalStream.waitForEnd(seconds)
                port.finish()
            }
            var count = 0
            var latest = 0.0
            for await reading in readings {
                // Sources have clocks of their own; a trace has one, which does not go back.
                let ordered = reading.delayed(by: max(0, latest - reading.time))
                latest = ordered.time
                try writer.append(ordered)
                if case .tick = reading { continue }
                count += 1
            }
            group.cancelAll()
            return count
        }
        try writer.finish()
        return count
    }
}

/// `trilateral replay`: the daemon, with a recording instead of its sensors.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run the daemon on a recording: a trace, or a capture of Bluetooth packets.",
        discussion: """
            Like trilateral run, with a recording instead of the sensors: a file of trilateral record, or a capture in \
            the format btsnoop (Android, btmon), pcap or pcapng (Wireshark, sniffers). The daemon goes on when the \
            recording is over; SIGTERM and SIGINT stop it.
            """
    )

    @Argument(file: "The recording; its format is recognised by its content.")
    var recording: String

    @Option(help: ArgumentHelp("The speed: 0.01 to 1000, where 1 is as recorded, or max.", valueName: "n"))
    var speed = "1"

    @Flag(help: "Play it again and again.")
    var loop = false

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var state: OwnStateOption

    func validate() throws {
        guard ReplaySpeed(speed) != nil else {
            throw ValidationError("--speed must be \(ReplaySpeed.legal) (is \"\(speed)\")")
        }
    }

    func run() async throws {
        // Before a database is opened that a daemon may use.
        guard access(recording, R_OK) == 0 else {
            throw VerbError("\(recording): cannot be read: \(systemMessage(errno))", .noInput)
        }
        var (runner, loaded) = try file.daemon(in: state)
        runner.replays = [
            ReplaySettings(file: recording, speed: ReplaySpeed(speed) ?? .times(1), isLooping: loop)
        ]
        runner.adjust = { $0.sensors.replayFile = nil }
        try await runner.run(loaded)
    }
}

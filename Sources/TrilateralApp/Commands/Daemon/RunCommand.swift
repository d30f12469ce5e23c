import Settings
package import ArgumentParser
import FlareClient
import FlareServer
import Foundation
import HTTPListener
import Logging
import Positioning
import Sensors
import UnixSignals
import Threading

/// `trilateral run`: the daemon.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the daemon.",
        discussion: """
            Without a configuration: the broker on localhost:1883, the embedded Flare server on 127.0.0.1:1234, and \
            an empty place. SIGTERM and SIGINT end it, SIGHUP reads the configuration again; SIGUSR1, SIGUSR2 and \
            SIGALRM are ignored.
            """
    )

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var state: StateOption

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let loaded = try file.load(by: "run", environment: environment)
        let folder = try state.folder(environment)
        let path = file.path
        let runner = DaemonRunner(folder: folder, environment: environment) {
            ConfigurationOption.read(path, environment)
        }
        try await runner.run(loaded)
    }
}

/// `--state DIR`, for every command that keeps something.
struct StateOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp(
            "The folder that keeps the databases; default $STATE_DIRECTORY, else ~/.local/state/trilateral.",
            valueName: "dir"
        )
    )
    var path: String?

    func folder(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> StateFolder {
        do throws(StateFolderError) {
            let folder = try StateFolder(named: path, environment: environment)
            if let warning = StateFolder.warning(of: folder.path) {
                StandardError.print("trilateral: warning: \(warning)")
            }
            return folder
        } catch {
            StandardError.print("trilateral: \(error)")
            throw ExitCode.cannotCreate
        }
    }
}

/// Runs a daemon, builds it anew after a reload, and turns what ends it into an exit code.
package struct DaemonRunner: Sendable {
    let folder: StateFolder
    let environment: [String: String]
    /// Reads the configuration again, for a reload.
    let read: @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    /// Recordings to play beside those of the configuration.
    var replays: [ReplaySettings] = []
    /// What the command line says beside the configuration.
    var adjust: @Sendable (inout TrilateralConfiguration) -> Void = { _ in }
    /// Whether nothing is to stay behind on the broker: all is cleared at the end.
    var isTemporary = false
    /// Whether SIGHUP has the configuration read again; else it ends the daemon, as the loss of a terminal does.
    var reloadsOnHangup = true
    var onFlareBound: @Sendable (Int) async -> Void = { _ in }
    var onWebBound: @Sendable (Int) async -> Void = { _ in }

    init(
        folder: StateFolder,
        environment: [String: String],
        read: @escaping @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    ) {
        self.folder = folder
        self.environment = environment
        self.read = read
    }

    /// What signals act on; it outlives the single daemon.
    private struct Control: Sendable {
        var port: AsyncStream<ShellRequest>.Continuation?
        /// Set by a signal, also between two daemons, when nobody would take the request.
        var isStopping = false
        /// How many signals have asked for a reload, and how many of them the last reading of the configuration answered.
        var reloads = 0
        var answeredReloads = 0
        var running: RunningConfiguration
        /// Ports that the current daemon is still to bind.
        var unboundPorts = 0

        init(_ first: LoadedConfiguration) { running = RunningConfiguration(first) }

        mutating func begin(ports: Int) {
            unboundPorts = ports
            if ports == 0 { running.worked() }
        }

        mutating func bound() {
            unboundPorts -= 1
            if unboundPorts == 0 { running.worked() }
        }

        /// What was asked for between two daemons.
        var missed: ShellRequest? {
            isStopping ? .stop : reloads != answeredReloads ? .readConfiguration : nil
        }
    }

    /// Runs until SIGTERM or SIGINT ends it; SIGHUP has the configuration read again.
    ///
    /// - Throws: An exit code; ``ResourceError``; ``RestartRequest`` when the program shall be started again.
    func run(_ first: LoadedConfiguration) async throws {
        try ProcessResources.check(.daemon)
        var first = first
        adjust(&first.values)
        let control = Locked(Control(first))
        // One stream for the whole life of the process: a signal source that follows another one stays deaf.
        let signals = SignalStream([SIGHUP, SIGTERM, SIGINT])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await number in signals.numbers {
                    let isReload = number == SIGHUP && reloadsOnHangup
                    let port = control.withLock { control in
                        if isReload { control.reloads += 1 } else { control.isStopping = true }
                        return control.port
                    }
                    port?.yield(isReload ? .readConfiguration : .stop)
                }
            }
            defer { group.cancelAll() }
            try await runAll(control)
        }
    }

    private func runAll(_ control: Locked<Control>) async throws {
        var isReloaded = false
        /// Why the configuration before had to be taken again.
        var problem: String?
        // One log for the whole life of the process: a second one would write into the lines of the first.
        let log = LogOutput(level: .info, form: LogFormat(.text))
        defer { log.flush() }
        let logger = log.logger("trilateral")
        while true {
            let configuration = control.withLock { $0.running.loaded }.values
            log.configure(
                level: Logger.Level(configuration.log.level),
                form: LogFormat(configuration.log.format, environment: environment)
            )
            do {
                let daemon = try build(
                    configuration,
                    isReloaded: isReloaded,
                    control: control,
                    log: log,
                    logger: logger
                )
                let missed = control.withLock { control in
                    control.port = daemon.requestPort
                    control.begin(
                        ports: (configuration.flare.isServing ? 1 : 0)
                            + (HTTPListenerConfiguration(configuration.web) == nil ? 0 : 1)
                    )
                    return control.missed
                }
                if let missed { daemon.requestPort.yield(missed) }
                if let problem { daemon.tell(problem) }
                problem = nil
                switch try await daemon.run() {
                case .stopped: return
                case .restart:
                    if control.withLock({ $0.isStopping }) { return }
                    logger.notice("restarting")
                    throw RestartRequest()
                case .rebuild(let next):
                    logger.notice("configuration read again; starting anew")
                    control.withLock { $0.running.replace(with: next) }
                    isReloaded = true
                case .reopen:
                    logger.notice("opening the databases again")
                    isReloaded = true
                }
            } catch let restart as RestartRequest {
                throw restart
            } catch {
                log.print("trilateral: \(error)")
                let goesOn = control.withLock { !$0.isStopping && $0.running.fallBack() }
                guard goesOn else { throw Self.exitCode(error) }
                logger.error("the new configuration does not work; going on with the one before")
                problem = "\(error)"
            }
        }
    }

    private func build(
        _ configuration: TrilateralConfiguration,
        isReloaded: Bool,
        control: Locked<Control>,
        log: LogOutput,
        logger: Logger
    ) throws -> Daemon {
        let plan = DaemonPlan(
            configuration: configuration,
            folder: folder,
            recordings: try recordings(configuration.sensors, logger),
            isReloaded: isReloaded,
            withdrawsAtEnd: isTemporary,
            read: { [read, adjust, folder] in
                control.withLock { $0.answeredReloads = $0.reloads }
                // What runs keeps running when there is no place for the next one.
                if let problem = folder.problem() {
                    return .failure(ConfigurationErrors([ConfigurationError(.standard, "", problem)]))
                }
                return read().map { loaded in
                    var loaded = loaded
                    adjust(&loaded.values)
                    return loaded
                }
            },
            setLogLevel: { if let level = Logger.Level(rawValue: $0) { log.level = level } },
            droppedLogLines: { log.dropped },
            onFlareBound: { [onFlareBound] port in
                control.withLock { $0.bound() }
                await onFlareBound(port)
            },
            onWebBound: { [onWebBound] port in
                control.withLock { $0.bound() }
                await onWebBound(port)
            }
        )
        return try Daemon.build(plan, logger: logger)
    }

    private func recordings(
        _ sensors: TrilateralConfiguration.Sensors,
        _ logger: Logger
    ) throws -> [SensorSource] {
        let ephemerals = EphemeralBeacons(sensors)
        let named = try replays.map { try $0.source(ephemerals, logger) }
        do throws(SensorError) {
            return named
                + (try sensors.replays.map { settings throws(SensorError) in
                    try settings.source(ephemerals, logger)
                })
        } catch {
            throw ConfigurationErrors("sensors.replay.file", "\(error)")
        }
    }

    /// What a failure means for whoever started us.
    package static func exitCode(_ error: any Error) -> ExitCode {
        switch error {
        case is HTTPListenerError: .unavailable
        case is TLSConfigurationError, is ConfigurationErrors: .configuration
        case let error as SensorError: ExitCode(error)
        case FlareStoreError.inUse: .temporary
        case let error as FlareStoreError where error.isAboutContents: .dataError
        case let error as StateStoreError where error.isAboutContents: .dataError
        case is FlareStoreError, is StateStoreError: .ioError
        case is ResourceError: .systemError
        case let code as ExitCode: code
        default: .software
        }
    }
}

/// A recording that takes the part of the sensors.
struct ReplaySettings: Sendable {
    var file: String
    var speed = ReplaySpeed.times(1)
    var isLooping = false

    func source(_ ephemerals: EphemeralBeacons?, _ logger: Logger) throws(SensorError) -> SensorSource {
        try Replay(
            .file(file),
            speed: speed,
            isLooping: isLooping,
            clock: ContinuousClock(),
            logger: logger,
            ephemerals: ephemerals
        ).source
    }
}

extension TrilateralConfiguration.Sensors {
    /// The recording that the configuration names, if it names one.
    var replays: [ReplaySettings] {
        guard let replayFile else { return [] }
        return [ReplaySettings(file: replayFile, speed: .times(replaySpeed), isLooping: replayLoop)]
    }
}

extension ConfigurationOption {
    /// The configuration of the named file, else of the standard one, as it is now.
    static func read(
        _ path: String?,
        _ environment: [String: String]
    ) -> Result<LoadedConfiguration, ConfigurationErrors> {
        do throws(ConfigurationErrors) {
            let file = path ?? ConfigurationLoader.standardFile(environment: environment)
            return .success(try ConfigurationLoader.load(file: file, environment: environment))
        } catch {
            return .failure(error)
        }
    }
}

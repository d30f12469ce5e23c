import ArgumentParser
import Bridge
import Daemon
import Foundation
import JSON
import Logging
import Positioning
import Sensing
import Sensors
import Settings

/// `trilateral calibrate`: the calibrations.
struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Calibrate the compass, or the power of beacons.",
        subcommands: [CalibrateCompassCommand.self, CalibrateBeaconsCommand.self]
    )
}

struct CalibrateCompassCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compass",
        abstract: "Calibrate the compass: measure the influence of the device's own metal.",
        discussion: """
            Turn the device slowly about all its axes, as if to paint the inside of a ball with its front, away from \
            steel, cables and loudspeakers. The measurement ends by itself when there is enough; Ctrl-C ends it earlier. \
            The result is stored in the state folder and used from then on, also by a running daemon. A bad result is \
            refused with the reason and changes nothing. Exit code 65: refused; 69: there is no magnetometer.
            """
    )

    @Flag(
        help: """
            For a device that cannot be turned about all axes: turn it once around on the spot, held as it will be used.
            """
    )
    var flat = false

    @Option(help: ArgumentHelp("End after this many seconds with what was measured so far.", valueName: "n"))
    var seconds = 300

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var state: StateOption

    func validate() throws {
        guard (1...86_400).contains(seconds) else {
            throw ValidationError("--seconds must be 1 to 86400 (is \(seconds))")
        }
    }

    private enum Event: Sendable {
        case measured(Vector3, device: String)
        case condition(CompassCondition)
        case second
        case end
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let location = try state.location(environment)
        let settings = try broker.address.settings(
            of: location.daemon,
            environment: environment
        )
        let configuration = settings.loaded.values
        let folder = try location.open()
        let isUsed = access(folder.path + "trilateral.db", F_OK) == 0
        let memory: StateStore
        do throws(StateStoreError) {
            memory = try folder.opening { () throws(StateStoreError) in try StateStore(folder: folder.url) }
        } catch {
            throw VerbError.ending(by: error)
        }
        defer { memory.close() }
        StandardError.report("\(await reader(of: memory, in: folder, isUsed: isUsed, settings))")
        let log = LogOutput(ofVerb: configuration.log)
        defer { log.flush() }
        let (events, port) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(1000))
        let compass = IIOCompass(
            configuration.compass.own,
            clock: RuntimeClock.steadySeconds,
            calibration: { _ in nil },
            logger: log.logger("calibrate")
        ) {
            port.yield(.condition($0))
        }
        let source = compass.measurements { field, device in
            port.yield(.measured(field, device: device))
            return true
        }
        let (device, samples) = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await source.run { _ in } }
            group.addTask { [seconds] in
                await SignalStream.waitForEnd(seconds)
                port.yield(.end)
            }
            group.addTask { while (try? await Task.sleep(for: .seconds(1))) != nil { port.yield(.second) } }
            defer { group.cancelAll() }
            return try await gather(events, below: configuration.compass.own.folder, environment)
        }
        switch flat ? samples.partial() : samples.full() {
        case .success(let calibration):
            do throws(StateStoreError) {
                try memory.keep(calibration, of: device)
            } catch {
                throw VerbError.ending(by: error)
            }
            try StandardOutput.print(
                json ? calibration.json.text : report(calibration, of: device, in: memory.path)
            )
        case .failure(let refusal):
            let hint = flat ? "" : "; a device that cannot be tumbled: --flat"
            throw VerbError("\(device) is not calibrated: \(refusal)\(hint)", .dataError)
        }
    }

    /// Which daemon will read the result.
    private func reader(
        of memory: StateStore,
        in folder: StateFolder,
        isUsed: Bool,
        _ settings: BrokerSettings
    ) async -> CalibrationReader {
        let values = settings.loaded.values
        let base = broker.address.base ?? values.bridge.base
        let root = "\(base)/\(broker.node ?? NodeAddress(values, .ofThisMachine()).node)"
        var outcome = DriveExchange.Outcome.noBroker("the broker was not asked for the daemon")
        // Without a password it can be measured too.
        do throws(VerbError) {
            let (link, _) = try broker.address.broker(settings)
            (outcome, _) = await DriveExchange.Question.state(topic: "info")
                .ask((link, root), reading: [], within: .seconds(2), isPatient: false)
        } catch {
            StandardError.report(error.message)
        }
        let epoch = (try? memory.epoch()) ?? nil
        return CalibrationReader(outcome, epoch: epoch, folder: folder.path, isUsed: isUsed, root: root)
    }

    /// Gathers samples until there are enough, or somebody ends it.
    private func gather(
        _ events: AsyncStream<Event>,
        below folder: String,
        _ environment: [String: String]
    ) async throws -> (device: String, CalibrationSamples) {
        var samples = CalibrationSamples()
        var view = CoverageView(isTerminal: Terminal.error.isCapable(environment: environment))
        var known: String?
        func show() {
            if let text = view.update(.init(samples, isFlat: flat)) { StandardError.write(text) }
        }
        for await event in events {
            switch event {
            case .measured(let field, let device):
                if known == nil {
                    let way = flat ? "once around on the spot" : "slowly about all its axes"
                    StandardError.report("\(device): turn it \(way); Ctrl-C ends it")
                    show()
                }
                known = device
                if samples.add(field), !flat { show() }
            case .condition(let condition):
                if condition.state == .absent {
                    throw VerbError(
                        "there is no magnetometer below \(folder) (sensors.compass.iio_folder)",
                        .unavailable
                    )
                }
                guard let problem = condition.problem else { continue }
                if known == nil { throw VerbError(problem, .unavailable) }
                StandardError.report(problem)
            case .second:
                show()
                if isEnough(samples), let known { return (known, samples) }
            case .end:
                show()
                guard let known else { throw VerbError("the magnetometer does not answer", .unavailable) }
                return (known, samples)
            }
        }
        throw CancellationError()
    }

    /// Whether more samples would hardly help.
    private func isEnough(_ samples: CalibrationSamples) -> Bool {
        let result = flat ? samples.partial() : samples.full()
        guard case .success(let calibration) = result else { return false }
        return calibration.coverage >= (flat ? 1 : 0.85)
    }

    private func report(_ calibration: MagnetometerCalibration, of device: String, in path: String) -> String
    {
        func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        let offset = calibration.offset
        let scope = calibration.quality == .full ? "" : ", for a device that is held as it was"
        return """
            \(device) is calibrated (\(calibration.quality.rawValue)\(scope)); kept in \(path)
              own field \(tenths(offset.x)), \(tenths(offset.y)), \(tenths(offset.z)) µT; field \
            \(tenths(calibration.field)) µT, spread \(tenths(calibration.spread * 100)) %; coverage \
            \(Int((calibration.coverage * 100).rounded())) %, \(calibration.samples) samples
            """
    }
}

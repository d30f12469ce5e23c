import ArgumentParser
import MQTT
import OperatingSystem
import Sensors

/// The exit codes, those of sysexits.h; 0 is success and 1 a refused command.
extension ExitCode {
    /// The command line is wrong (64).
    static let usage = ExitCode(64)
    /// The input is damaged or invalid (65).
    static let dataError = ExitCode(65)
    /// An input file is missing (66).
    static let noInput = ExitCode(66)
    /// A server does not answer, or a port is in use (69).
    static let unavailable = ExitCode(69)
    /// A bug (70).
    static let software = ExitCode(70)
    /// A limit of the system is too low: descriptors, memory, threads (71).
    static let systemError = ExitCode(71)
    /// A file or folder cannot be created (73).
    static let cannotCreate = ExitCode(73)
    /// Reading or writing failed (74).
    static let ioError = ExitCode(74)
    /// In use; it may work later (75).
    static let temporary = ExitCode(75)
    /// Not permitted (77).
    static let noPermission = ExitCode(77)
    /// The configuration is wrong (78).
    static let configuration = ExitCode(78)

    /// Whether a file cannot be read, or holds what it must not.
    init(_ error: FileError) { self = error.isAboutContents ? .dataError : .noInput }

    /// Why there is no link to the broker.
    init(_ error: MQTTError) {
        switch error {
        case .notAuthorised: self = .noPermission
        case .configuration: self = .configuration
        case .unreachable, .tls, .refused, .noAnswer, .malformed, .lost, .endedByBroker, .unacknowledged,
            .reconfigured:
            self = .unavailable
        }
    }

    /// Whether the system has no means for a sensor, or a recording is not there, is none, or cannot be made.
    init(_ error: SensorError) {
        switch error {
        case .cannotStart: self = .systemError
        case .cannotRead: self = .noInput
        case .unsupported, .damaged: self = .dataError
        case .cannotWrite, .full: self = .cannotCreate
        }
    }
}

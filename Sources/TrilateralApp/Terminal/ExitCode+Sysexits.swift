import ArgumentParser
import MQTT
import Sensors

/// How the program ends, by the words of sysexits.h; 0 is success and 1 a command that was refused.
extension ExitCode {
    /// The command line is wrong (64).
    static let usage = ExitCode(64)
    /// What was read is wrong (65).
    static let dataError = ExitCode(65)
    /// A file that should be read is not there (66).
    static let noInput = ExitCode(66)
    /// Somebody who is needed does not answer (69).
    static let unavailable = ExitCode(69)
    /// A bug (70).
    static let software = ExitCode(70)
    /// The system gives too little: descriptors, memory, threads (71).
    static let systemError = ExitCode(71)
    /// A file or folder cannot be made (73).
    static let cannotCreate = ExitCode(73)
    /// Reading or writing failed (74).
    static let ioError = ExitCode(74)
    /// It may work later (75).
    static let temporary = ExitCode(75)
    /// It is not allowed (77).
    static let noPermission = ExitCode(77)
    /// The configuration is wrong (78).
    static let configuration = ExitCode(78)

    /// Why there is no link to the broker.
    init(_ error: MQTTError) {
        switch error {
        case .notAuthorised: self = .noPermission
        case .configuration: self = .configuration
        case .unreachable, .tls, .refused, .noAnswer, .malformed, .lost, .endedByBroker:
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

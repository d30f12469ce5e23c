import ArgumentParser
import Daemon
import Messages
import OperatingSystem
import Resolution
import Sensing
import Settings
import Text

extension RegisteredStation {
    static var now: String { RuntimeClock.now().timestamp }

    /// What is wrong with a name; `nil` for nothing.
    static func problem(ofName name: String) -> String? {
        let count = name.unicodeScalars.count
        let problem: String? =
            if name.hasControlCharacters {
                "a name has no control characters, such as tabs or line ends"
            } else if !(1...64).contains(count) {
                "a name has 1 to 64 characters, not \(count)"
            } else {
                nil
            }
        return problem.map { "\($0) (is \(QuotedValue.of(name)))" }
    }

    /// What is wrong with a URL; `nil` for nothing.
    static func problem(ofURL url: String) -> String? {
        let rest = ["http://", "https://"].first(where: url.hasPrefix).map { String(url.dropFirst($0.count)) }
        guard let rest, HostAndPort.isHost(rest) || HostAndPort(rest) != nil else {
            return
                "a URL is http:// or https://, a name or an address, and perhaps :PORT (is \(QuotedValue.of(url)))"
        }
        return nil
    }

    /// Why a station cannot have a name beside the others; `nil` if it can.
    ///
    /// A word must not mean two stations, one by its name and another by its serial.
    /// - Parameter others: Without the station itself.
    static func conflict(
        ofName name: String,
        _ serial: StationSerial,
        with others: [RegisteredStation]
    ) -> String? {
        let nameAsSerial = StationSerial(name)
        for other in others {
            if other.name == name { return "another station is called \(QuotedValue.of(name))" }
            if other.serial == nameAsSerial {
                return "\(QuotedValue.of(name)) is the serial of another station: \(other.name)"
            }
            if StationSerial(other.name) == serial {
                return "\(serial) is the name of another station: \(other.name) (\(other.serial))"
            }
        }
        return nil
    }
}

extension StationSerial {
    /// The serial that was given.
    ///
    /// - Throws: ``VerbError``, with what is legal.
    init(argument text: String) throws(VerbError) {
        guard let serial = StationSerial(text) else {
            let legal =
                "a serial is a MAC, or another text of 1 to 64 bytes, separators not counted, without control characters"
            throw VerbError("\(legal) (is \(QuotedValue.of(text)))", .dataError)
        }
        self = serial
    }
}

extension Secret {
    /// The password of a station's server, from a file with one line; a warning if others can read it.
    ///
    /// - Returns: `nil` if it is empty.
    static func stationPassword(in file: String) throws(VerbError) -> Secret? {
        switch load(file) {
        case .success(let found):
            if let warning = found.warning { StandardError.report("warning: \(warning)") }
            let text = found.secret.reveal()
            // It becomes a line of a request.
            guard !text.hasControlCharacters else {
                throw VerbError(
                    "\(file) must hold a password in one line, without control characters",
                    .dataError
                )
            }
            return text.allSatisfy(\.isWhitespace) ? nil : found.secret
        case .failure(let error) where error.message == "is empty": return nil
        case .failure(let error): throw VerbError("\(file) \(error.message)", ExitCode(error))
        }
    }
}

extension String {
    /// Control characters, or line separators.
    fileprivate var hasControlCharacters: Bool {
        unicodeScalars.contains {
            [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
    }
}
